// Everything that programs import.
export { Berth } from './berth.ts';
export type * as guest from './generated/guest.ts';
export type * from './generated/management.ts';
export { type OperationShape, type Operations, operations } from './generated/operations.ts';
export {
  AccessError,
  BerthError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PortUnreachableError,
  QuotaError,
  RateLimitedError,
  TimeoutError,
  UnavailableError,
} from './http/errors.ts';
export type { BodyStream } from './http/transport.ts';
export type { BerthOptions, CallOptions, ItemOf, ListingId, OperationId, RequestArguments } from './management-api.ts';
export type { ExecOptions, StartOptions } from './sandbox/exec.ts';
export { type ExecResult, ExitError, type OutputCallbacks } from './sandbox/exec-result.ts';
export type { FileData, FileEvent, Files, FindOptions, WriteOptions } from './sandbox/files.ts';
export type { OutputEvent, OutputOrEnd } from './sandbox/output.ts';
export type { Previews } from './sandbox/previews.ts';
export type { Process, Waiting } from './sandbox/process.ts';
export { Sandbox as SandboxHandle } from './sandbox/sandbox.ts';
export type { NewSandbox, Sandboxes } from './sandbox/sandboxes.ts';
export type { Terminal, TerminalOptions } from './sandbox/terminal.ts';
export type { Agents, Deployment } from './workloads/agents.ts';
export type { Jobs, RunOptions } from './workloads/jobs.ts';
export type { LogOptions, Logs } from './workloads/logs.ts';
