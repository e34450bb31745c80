// A handler as Restate sees it: a virtual object with one exclusive method, so each key has one run at a time.
import type { Semaphore } from '@berth/concurrency';
import {
  childOf,
  formatTraceparent,
  type Logger,
  type SpanSink,
  startWideEvent,
  type TraceContext,
} from '@berth/telemetry';
import { handlers, type ObjectContext, object, type Serde, TerminalError } from '@restatedev/restate-sdk';
import type { AttemptCounter } from './attempt-counter.ts';
import { defaultRetry, type Handler, type HandlerContext } from './handler.ts';
import type { HandlerMetrics, RunResult } from './handler-metrics.ts';
import type { Outgoing } from './message.ts';
import { traceOfCall } from './trace-of-call.ts';

/** The one method of every object. */
export const method = 'handle';

/**
 * Messages that one call may send. A handler with more to send works in windows: each call sends some, and one message
 * to continue.
 */
const maxSends = 1_000;

/** Own JSON serde, because the SDK's does not fit its own type under `exactOptionalPropertyTypes`. */
const json: Serde<unknown> = {
  contentType: 'application/json',
  serialize: (value) => Buffer.from(JSON.stringify(value)),
  deserialize: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
};

type RecordedSend = Pick<Outgoing, 'key' | 'message' | 'delayMs' | 'dedupe'> & { readonly name: string };

/** Shared by all handlers of a process. */
export interface HandlerRuntime {
  readonly logger: Logger;
  readonly spans: SpanSink;
  readonly metrics: HandlerMetrics;
  readonly attempts: AttemptCounter;
  readonly limit: Semaphore;
}

/** Restate remembers the id of a message for a day after it was handled, and keeps nothing else of a finished call. */
const retention = { idempotencyRetention: { days: 1 }, journalRetention: 0 };
/** Handlers do not wait, so a handler without activity for 30 s is stuck: Restate aborts it and runs it again. */
const timeouts = { inactivityTimeout: { seconds: 30 }, abortTimeout: { seconds: 30 } };

export function bindHandler(handler: Handler, serving: HandlerRuntime) {
  const { initialMs, maxMs, factor, maxAttempts } = { ...defaultRetry, ...handler.retry };
  const retryPolicy = {
    initialInterval: initialMs,
    maxInterval: maxMs,
    exponentiationFactor: factor,
    ...(maxAttempts === undefined ? { maxAttempts: unlimited } : { maxAttempts, onMaxAttempts: 'kill' as const }),
  };
  const run = async (call: ObjectContext, message: unknown): Promise<void> => {
    const { id, headers } = call.request();
    const trace = traceOfCall(id, headers.get('traceparent'));
    // Recorded as one step: after a crash either the recorded sends go out, or the handler runs again. With sends from
    // inside the handler, a second run that decides differently would not match the journal of the first.
    const sends = await call.run(method, () =>
      serving.limit.run(() => handleOnce(handler, call, message, trace, serving)),
    );
    for (const { name, key, message: parameter, delayMs, dedupe } of sends) {
      call.genericSend({
        service: name,
        method,
        key,
        parameter,
        inputSerde: json,
        headers: { traceparent: formatTraceparent(trace) },
        ...(delayMs === undefined ? {} : { delay: delayMs }),
        ...(dedupe === undefined ? {} : { idempotencyKey: dedupe }),
      });
    }
  };
  return object({
    name: handler.name,
    handlers: { [method]: handlers.object.exclusive({ input: json, retryPolicy, ...retention, ...timeouts }, run) },
  });
}

/** Stands for "no limit": a handler's own policy cannot express that, and Restate's default gives up after 70. */
const unlimited = 2 ** 31 - 1;

async function handleOnce(
  handler: Handler,
  call: ObjectContext,
  message: unknown,
  trace: TraceContext,
  { logger, spans, metrics, attempts }: HandlerRuntime,
): Promise<RecordedSend[]> {
  const { id } = call.request();
  const attempt = attempts.next(id);
  const bindings = { handler: handler.name, key: call.key, call: id, attempt, traceId: trace.traceId };
  const event = startWideEvent(logger, 'handler', bindings);
  const startedAt = performance.now();
  const ended = (result: RunResult, error?: unknown): void => {
    const durationMs = performance.now() - startedAt;
    metrics.observe(handler.name, result, durationMs);
    // Messages that the call sends name its own span, so a run that sent nothing gets another.
    const run = result === 'done' ? trace : siblingOf(trace);
    const span = { name: handler.name, kind: 'consumer', trace: run, endedAt: Date.now() } as const;
    spans.record({ ...span, durationMs, fields: bindings, error });
  };
  const sends: RecordedSend[] = [];
  const context: HandlerContext<unknown> = {
    key: call.key,
    input: readInput(handler, message, (error) => {
      event.fail(error);
      ended('refused', error);
    }),
    now: new Date(),
    attempt,
    trace,
    logger: logger.child(bindings),
    send(to, key, next, { delayMs, dedupe } = {}) {
      if (sends.length >= maxSends)
        throw new Error(`${handler.name} sends more than ${maxSends} messages in one call.`);
      sends.push({ name: to.name, key, message: next, delayMs, dedupe });
    },
  };
  try {
    await handler.handle(context);
  } catch (error) {
    event.fail(error);
    ended('failed', error);
    throw error;
  }
  ended('done');
  event.end({ sends: sends.length });
  attempts.done(id);
  return sends;
}

const siblingOf = (trace: TraceContext): TraceContext => ({ ...trace, spanId: childOf(trace).spanId });

/**
 * A malformed message fails for good, with a line in the log: a retry cannot mend it and would block its key. The work
 * itself is a row in the database, so the next message or a resync picks it up.
 */
function readInput(handler: Handler, message: unknown, refused: (error: Error) => void): unknown {
  const parsed = handler.input.safeParse(message);
  if (parsed.success) return parsed.data;
  const error = new TerminalError(`${handler.name} was sent what it does not understand: ${parsed.error.message}`);
  refused(error);
  throw error;
}
