import {
  defineHandler,
  dispatchKey,
  dispatchMessage,
  executionMessage,
  type Handler,
  type KeyOnly,
} from '@berth/durable';
import type { Dependencies } from '../run/dependencies.ts';
import { settleExecution } from './settle-execution.ts';

export function executionHandler(dependencies: Dependencies): Handler<KeyOnly> {
  return defineHandler({
    ...executionMessage,
    // Short retries, because a task that has ended keeps its place in the execution until it is settled.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      const { settled, retired, steps, mayPlace, hasMore, hasCallback } = await settleExecution(dependencies, key);
      // After the commit: a runner that is notified earlier would find nothing new.
      for (const runnerId of new Set(retired.map((each) => each.runnerId))) dependencies.notifyRunner(runnerId);
      if (hasCallback) dependencies.notifyDeliveries();
      dependencies.counters.retired.inc(retired.length);
      for (const { status, message } of steps) logger.info({ execution: key, status }, `execution changed; ${message}`);
      if (settled > 0) logger.debug({ execution: key, settled }, 'attempts settled');
      if (hasMore) send(executionMessage, key, {});
      if (mayPlace) send(dispatchMessage, dispatchKey, {});
    },
  });
}
