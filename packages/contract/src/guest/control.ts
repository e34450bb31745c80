// Control calls of the runner to a sandbox: requests on the ordinary port, each signed with Ed25519. The guest holds
// the public key and its own instance id, so no process inside a sandbox can make such a request, and a request made
// for another sandbox is not accepted.
import * as z from 'zod/mini';
import { EnvironmentGeneration } from './system.ts';

/**
 * Versions in the paths of the control routes. A sandbox keeps its guest for life, and runners of later releases call it: a version is
 * taken away only when no guest that lacks the next one can still run.
 */
export const controlVersions = ['v1'] as const;

/** Maximum difference between the clocks of the runner and the guest. */
export const controlWindowMs = 60_000;

export type SignedRequest = {
  instanceId: string;
  method: string;
  /** Path with its query, as on the request line. */
  path: string;
  /** SHA-256 of the body as sent, in lower-case hexadecimal; of an empty body when there is none. */
  bodySha256: string;
  /** Must grow from request to request: an equal or smaller value counts as a replay. */
  issuedAtMs: number;
  /** 16 to 64 letters, digits, hyphens, underscores. */
  nonce: string;
};

/** Text that the runner signs: one value per line, because no value can contain a line break. */
export function signedText({ instanceId, method, path, bodySha256, issuedAtMs, nonce }: SignedRequest): string {
  return ['berth-control-v1', instanceId, method, path, bodySha256, issuedAtMs, nonce].join('\n');
}

export type RunnerProof = { issuedAtMs: number; nonce: string; signature: string };

/** Value of the header `Authorization`. */
export function formatRunnerProof({ issuedAtMs, nonce, signature }: RunnerProof): string {
  return `Runner issuedAtMs=${issuedAtMs},nonce=${nonce},signature=${signature}`;
}

const proofForm = /^Runner issuedAtMs=(\d{1,15}),nonce=([A-Za-z0-9_-]{16,64}),signature=([A-Za-z0-9_-]{86})$/;

/** Undefined when the header has another form. */
export function parseRunnerProof(header: string): RunnerProof | undefined {
  const [, issuedAtMs, nonce, signature] = proofForm.exec(header) ?? [];
  if (issuedAtMs === undefined || nonce === undefined || signature === undefined) return undefined;
  return { issuedAtMs: Number(issuedAtMs), nonce, signature };
}

export const ControlEnvironmentRequest = z.extend(EnvironmentGeneration, {
  /** False keeps the variables of earlier generations and adds these. */
  replace: z.optional(z.boolean()),
});
export type ControlEnvironmentRequest = z.infer<typeof ControlEnvironmentRequest>;

export type ControlState = {
  versions: readonly string[];
  guestVersion: string;
  instanceId: string;
  /** Without the runner's own requests: reading the state must not keep a sandbox awake. */
  openRequests: number;
  /** Time since the last request, stream or socket ended; 0 while one is open. */
  idleMs: number;
  /** Running processes that prevent sleep. */
  keepAliveHolds: number;
  /** 0 before the first environment is applied. */
  environmentGeneration: number;
};

/** Status 200 when ready, 409 when not; `error` then names the obstacle. */
export type QuiesceAnswer = { ready: boolean; openRequests: number; keepAliveHolds: number; error?: string };
