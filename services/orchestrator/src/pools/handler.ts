import { defineHandler, type Handler } from '@berth/durable';
import type { Dependencies } from '../run/dependencies.ts';
import { poolMessage } from './message.ts';
import { createLately } from './recent-use.ts';
import { runPools } from './reconcile-pools.ts';

export function poolHandler(dependencies: Dependencies): Handler<Record<string, never>> {
  const lately = createLately(dependencies.database);
  return defineHandler({
    ...poolMessage,
    // Short retries, because without pool runs every create is a cold start.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      for (const { delayMs, id } of await runPools(dependencies, lately, key, logger)) {
        send(poolMessage, key, {}, { delayMs, dedupe: id });
      }
    },
  });
}
