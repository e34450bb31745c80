// What every request has around it: an id, a log line, metrics, and an answer where it fails.
import { continueTrace, noSpans, requestIdFrom, startWideEvent } from '@berth/telemetry';
import type { Call } from '../http/gateway-server.ts';
import { noHeaders } from '../http/header-map.ts';
import type { Outcome } from '../proxy/outcome.ts';
import { createEndRequest, type EndOptions } from './end-request.ts';
import { outcomeError } from './outcome-error.ts';
import type { RequestContext } from './request-context.ts';
import { oneHeader } from './request-headers.ts';

/** How a request ended; `error` is what its client was told. */
export interface Handled {
  readonly outcome: Outcome | undefined;
  readonly error: unknown;
}

type Serve = (context: RequestContext) => Promise<Outcome>;

export type Handle = (call: Call, serve: Serve) => Promise<Handled>;

/** Every request writes one log line, except those of anonymous callers in a flood. */
export function createHandle(options: EndOptions): Handle {
  const { logger, metrics, spans = noSpans } = options;
  const endRequest = createEndRequest(options);
  return async (call, serve) => {
    const { request } = call;
    const requestId = requestIdFrom(oneHeader(request.headers['x-request-id']));
    const trace = continueTrace(oneHeader(request.headers.traceparent));
    const span = { spans, trace, kind: 'server' } as const;
    const event = startWideEvent(logger, 'request', { requestId, method: request.method }, { span });
    metrics.begin();
    const context: RequestContext = {
      call,
      requestId,
      trace,
      event,
      startedAt: performance.now(),
      kind: undefined,
      workload: undefined,
      target: undefined,
      answerHeaders: noHeaders,
    };
    let outcome: Outcome | undefined;
    let error: unknown;
    try {
      outcome = await serve(context);
      error = outcomeError(outcome, context.target);
    } catch (thrown) {
      error = thrown;
    }
    endRequest(context, outcome, error);
    return { outcome, error };
  };
}
