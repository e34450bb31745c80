import type { TraceContext, WideEvent } from '@berth/telemetry';
import type { CountedWorkload } from '../counts/workload-minute.ts';
import type { Call } from '../http/gateway-server.ts';
import type { HeaderMap } from '../http/header-map.ts';
import type { Target } from '../workloads/target.ts';
import type { ServedKind } from '../workloads/workload.ts';
import type { Timeouts } from '../workloads/workload-kind.ts';

/** A request and the facts collected about it so far. */
export interface RequestContext {
  readonly call: Call;
  readonly requestId: string;
  /** Its span is that of this request. */
  readonly trace: TraceContext;
  readonly event: WideEvent;
  /** By `performance.now()`. */
  readonly startedAt: number;
  /** Label in the metrics; `task` when a task reads its arguments, `trigger` for the path of a trigger. */
  kind: ServedKind | 'model' | 'task' | 'trigger' | undefined;
  /** Set once the caller is admitted to it: the request counts for the workload, whatever happens then. */
  workload: CountedWorkload | undefined;
  target: Target | undefined;
  /** Headers for every response to this request. */
  answerHeaders: HeaderMap;
  /** Set for a run of an asynchronous call. */
  run?: CallRun;
}

interface CallRun {
  readonly timeouts: Timeouts;
  /** Before the first byte is sent to an instance; throws when the call may not be performed any more. */
  begin(): Promise<void>;
}
