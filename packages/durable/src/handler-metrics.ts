import { Histogram, type Registry } from '@berth/telemetry';

/** `failed` runs are repeated by the engine; a `refused` message was malformed and is not. */
export type RunResult = 'done' | 'failed' | 'refused';

export interface HandlerMetrics {
  observe(handler: string, result: RunResult, ms: number): void;
}

export function createHandlerMetrics(registry: Registry, handlers: readonly string[]): HandlerMetrics {
  const seconds = new Histogram({
    name: 'berth_handler_seconds',
    help: 'Time of one run of a handler, by result: done, failed (it is run again) or refused (a malformed message).',
    labelNames: ['handler', 'result'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  // A series that begins with its first failure shows no increase for it.
  for (const handler of handlers) for (const result of ['done', 'failed']) seconds.zero({ handler, result });
  return { observe: (handler, result, ms) => seconds.observe({ handler, result }, ms / 1_000) };
}
