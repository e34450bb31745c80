// End of every request: the error response if there is one, the metrics, the counts of its workload and the log line.
import type { Brand } from '@berth/contract';
import type { Logger, SpanSink } from '@berth/telemetry';
import type { RequestCounts } from '../counts/request-counts.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { mergeHeaders } from '../http/header-map.ts';
import { sendAnswer } from '../http/send-answer.ts';
import type { Outcome } from '../proxy/outcome.ts';
import { createRefusalLog } from './refusal-log.ts';
import type { RequestContext } from './request-context.ts';
import type { RequestMetrics } from './request-metrics.ts';

export interface EndOptions {
  readonly brand: Brand;
  readonly docsUrl: string;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
  readonly spans?: SpanSink | undefined;
  /** Undefined in a deployment without ClickHouse. */
  readonly counts?: Pick<RequestCounts, 'count'> | undefined;
}

type EndRequest = (context: RequestContext, outcome: Outcome | undefined, error: unknown) => void;

export function createEndRequest({ brand, docsUrl, logger, metrics, counts }: EndOptions): EndRequest {
  const refusals = createRefusalLog(logger);

  function count({ workload, startedAt }: RequestContext, status: number, outcome: Outcome | undefined): void {
    if (workload !== undefined) counts?.count(workload, status, performance.now() - startedAt, outcome);
  }

  function endWithError(context: RequestContext, outcome: Outcome | undefined, error: unknown): void {
    const { call, requestId, event, kind, answerHeaders } = context;
    const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL_ERROR', {}, error);
    const answer = known.answer({ brand, docsUrl, requestId, now: Date.now() });
    event.add({ code: known.code });
    if (known.details.limit !== undefined) metrics.refused(known.details.limit);
    const hasLeft = call.request.socket.destroyed;
    if (!call.response.headersSent && !hasLeft)
      sendAnswer(call, { ...answer, headers: mergeHeaders(answerHeaders, answer.headers) });
    metrics.observe(kind, answer.status, outcome);
    count(context, hasLeft ? 0 : answer.status, outcome);
    if (answer.status >= 500 && known.cause !== undefined) event.fail(known.cause, { status: answer.status });
    else if (refusals.hasOwnLine(known)) event.end(figures(answer.status, outcome));
  }

  return (context, outcome, error) => {
    if (error !== undefined && outcome?.status === undefined) return endWithError(context, outcome, error);
    metrics.observe(context.kind, outcome?.status ?? 0, outcome);
    count(context, outcome?.status ?? 0, outcome);
    context.event.end(figures(outcome?.status, outcome));
  };
}

const figures = (status: number | undefined, outcome: Outcome | undefined) =>
  outcome === undefined
    ? { status }
    : {
        status,
        bytesIn: outcome.bytesIn,
        bytesOut: outcome.bytesOut,
        firstByteMs: outcome.firstByteMs === undefined ? undefined : Math.round(outcome.firstByteMs * 1_000) / 1_000,
        dispatchState: outcome.dispatchState,
        fault: outcome.error?.code,
      };
