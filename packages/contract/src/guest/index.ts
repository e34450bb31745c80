// The API inside every sandbox. A separate entry point, so that the guest loads nothing of the management API.

export { brandedVariable } from '../branded-variable.ts';
export { bytesPerMb } from '../bytes-per-mb.ts';
export { browserHeaders } from './browser-headers.ts';
export { ApplyEditRequest, type ApplyEditResponse, type RankedFile, type RerankingResponse } from './codegen.ts';
export {
  ControlEnvironmentRequest,
  type ControlState,
  controlVersions,
  controlWindowMs,
  formatRunnerProof,
  parseRunnerProof,
  type QuiesceAnswer,
  type RunnerProof,
  type SignedRequest,
  signedText,
} from './control.ts';
export {
  archiveType,
  type Directory,
  type FileDescription,
  FileRequest,
  type FileWithContent,
  type Subdirectory,
  type SuccessResponse,
  TreeRequest,
} from './files.ts';
export { guestTimeHeader } from './guest-time.ts';
export { ChangeShape, DirectoryShape, FileShape, FileWithContentShape, mcpServerInfo, ProcessShape } from './mcp.ts';
export { type PortInfo, PortMonitorRequest, type ProcessPorts } from './network.ts';
export { type GuestApiDocument, guestApiDocument } from './openapi/guest-api-document.ts';
export type { GuestOperation } from './operations/operation.ts';
export { guestOperations } from './operations/registry.ts';
export {
  ProcessInputRequest,
  type ProcessLogRange,
  type ProcessLogs,
  type ProcessOutputEvent,
  ProcessRequest,
  type ProcessResponse,
  ProcessSignalRequest,
  type ProcessStatus,
  type ProcessStreamEvent,
} from './processes.ts';
export { type GuestMethod, type GuestRoute, type GuestRouteId, guestRoutes } from './routes.ts';
export type {
  ContentSearchAnswer,
  ContentSearchMatch,
  FindAnswer,
  FindMatch,
  FuzzySearchAnswer,
  FuzzySearchMatch,
} from './search.ts';
export {
  type DriveMountList,
  DriveMountRequest,
  EnvironmentGeneration,
  type HealthResponse,
  type ReloadResponse,
  type StatsResponse,
  TunnelConfig,
  TunnelConfigRequest,
  UpgradeRequest,
} from './system.ts';
export {
  type MultipartUpload,
  maxPartNumber,
  type PartReceipt,
  UploadCompleteRequest,
  type UploadedPart,
  type UploadInitiated,
  UploadInitiateRequest,
  type UploadList,
  type UploadPartList,
} from './uploads.ts';
export {
  brandedGuestVariables,
  brandedStartVariables,
  fixedVariables,
  guestPort,
  guestVariables,
  hiddenVariables,
  startVariables,
} from './variables.ts';
export type { FileEvent, FileEventOp } from './watch.ts';
