// The runner's private way into a sandbox: requests on the ordinary port, each signed with Ed25519. The guest holds the
// public key and its own instance id, so nothing inside a sandbox can make such a request, and one made for another
// sandbox is worth nothing here.
import * as z from 'zod/mini';
import { EnvironmentGeneration } from './system.ts';

/** In every path of the runner's routes. A guest that serves several lists them in its state. */
export const controlVersions = ['v1'] as const;

/** How far the runner's clock and the guest's may be apart. */
export const CONTROL_WINDOW_MS = 60_000;

export type SignedRequest = {
  instanceId: string;
  method: string;
  /** As on the request line, with its query. */
  path: string;
  /** Of the body as sent, in lower-case hexadecimal; of nothing when there is none. */
  bodySha256: string;
  /** Must grow from request to request: an equal or smaller one is taken for a replay. */
  issuedAtMs: number;
  /** 16 to 64 letters, digits, hyphens, underscores. */
  nonce: string;
};

/** What the runner signs. One value a line: none of them can hold a line break. */
export function signedText({ instanceId, method, path, bodySha256, issuedAtMs, nonce }: SignedRequest): string {
  return ['berth-control-v1', instanceId, method, path, bodySha256, issuedAtMs, nonce].join('\n');
}

export type RunnerProof = { issuedAtMs: number; nonce: string; signature: string };

/** Value of the header `Authorization`. */
export function formatRunnerProof({ issuedAtMs, nonce, signature }: RunnerProof): string {
  return `Runner issuedAtMs=${issuedAtMs},nonce=${nonce},signature=${signature}`;
}

const PROOF = /^Runner issuedAtMs=(\d{1,15}),nonce=([A-Za-z0-9_-]{16,64}),signature=([A-Za-z0-9_-]{86})$/;

/** Undefined when the header is none of ours. */
export function parseRunnerProof(header: string): RunnerProof | undefined {
  const [, issuedAtMs, nonce, signature] = PROOF.exec(header) ?? [];
  if (issuedAtMs === undefined || nonce === undefined || signature === undefined) return undefined;
  return { issuedAtMs: Number(issuedAtMs), nonce, signature };
}

export const ControlEnvironmentRequest = z.extend(EnvironmentGeneration, {
  /** False: what a former generation set stays, and these are added to it. */
  replace: z.optional(z.boolean()),
});
export type ControlEnvironmentRequest = z.infer<typeof ControlEnvironmentRequest>;

export type ControlState = {
  versions: readonly string[];
  guestVersion: string;
  instanceId: string;
  /** The runner's own requests are not counted: asking must not keep a sandbox awake. */
  openRequests: number;
  /** Since the last request, stream or socket ended; 0 while one is open. */
  idleMs: number;
  /** Running processes that forbid sleep. */
  keepAliveHolds: number;
  /** 0 before the first one. */
  environmentGeneration: number;
};

/** Status 200 when ready, 409 when not: the error then says what holds. */
export type QuiesceAnswer = { ready: boolean; openRequests: number; keepAliveHolds: number; error?: string };
