// What the gateway has to know about a kind of workload. A new kind is one more file with this shape, listed in
// workload-kinds.ts.
import type { Scope } from '@berth/contract';
import type { GatewayError } from '../errors/gateway-error.ts';
import type { HeaderRules } from '../http/forwarded-headers.ts';
import type { SandboxRules, Target } from './target.ts';
import type { Workload } from './workload.ts';
import type { WorkloadRow } from './workload-row.ts';

export interface WorkloadKind {
  /** Segment of addresses by path: `/{workspace}/{pathSegment}/{name}`. */
  readonly pathSegment: string;
  /** Start of the labels of addresses by host, with its hyphen. */
  readonly labelPrefix: string;
  /** Scope that a key with a list of scopes needs. */
  readonly callScope: Scope;
  /** Credential in the query of a path: undefined when there is none, null when there are several. */
  readonly tokenInQuery: ((path: string) => string | undefined | null) | undefined;

  toWorkload(row: WorkloadRow): Workload;

  /**
   * Destination of a request inside the workload; `path` is never decoded. The prefix in the result begins after the
   * part of the path that names the workload. Throws a GatewayError for a path or port that may not be called.
   */
  targetOf(path: string, workload: Pick<Workload, 'ports'>, rules: SandboxRules): Target;
  readonly headers: HeaderRules;
  /** Header, in lower case, whose value names a session that lives in one instance. */
  readonly sessionHeader: string | undefined;

  /** True when the number of instances follows the number of requests. */
  readonly hasDemand: boolean;
  /** Error for a workload that has failed and does not start by itself. */
  failedError(): GatewayError;
  /** Error for a workload whose only instance is on an unreachable runner; undefined when it can start elsewhere. */
  readonly awayError: (() => GatewayError) | undefined;

  timeouts(settings: TimeoutSettings): Timeouts;
  /** True for a part of a large upload, which has its own limit. `port` is undefined for the instance's main port. */
  isUploadPart(method: string | undefined, path: string, port: number | undefined): boolean;
}

export interface Timeouts {
  /** Undefined means no limit while bytes move. */
  readonly totalMs: number | undefined;
  /** Longest time without a byte in either direction. */
  readonly silentMs: number;
}

export interface TimeoutSettings {
  readonly timeouts: { readonly totalSeconds: number; readonly silentSeconds: number };
  readonly sandboxes: { readonly silentSeconds: number };
}
