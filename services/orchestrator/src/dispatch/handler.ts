import {
  defineHandler,
  dispatchKey,
  dispatchMessage,
  executionMessage,
  type Handler,
  type KeyOnly,
} from '@berth/durable';
import { formatTraceparent } from '@berth/telemetry';
import type { Dependencies } from '../run/dependencies.ts';
import { dispatchTasks } from './dispatch-tasks.ts';

export function dispatchHandler(dependencies: Dependencies): Handler<KeyOnly> {
  return defineHandler({
    ...dispatchMessage,
    // Short retries, because this is the only key and every job waits for it.
    retry: { maxMs: 5_000 },
    async handle({ logger, send, trace }) {
      const traced = { ...dependencies, traceparent: formatTraceparent(trace) };
      const { toSettle, hasMore, timers } = await dispatchTasks(traced, logger);
      for (const executionId of toSettle) send(executionMessage, executionId, {});
      if (hasMore) send(dispatchMessage, dispatchKey, {});
      for (const { delayMs, id } of timers) send(dispatchMessage, dispatchKey, {}, { delayMs, dedupe: id });
    },
  });
}
