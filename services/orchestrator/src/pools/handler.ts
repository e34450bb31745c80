import { defineHandler, type Handler, type KeyOnly, poolMessage } from '@berth/durable';
import type { Dependencies } from '../run/dependencies.ts';
import { createRecentUse } from './recent-use.ts';
import { reconcilePools } from './reconcile-pools.ts';

export function poolHandler(dependencies: Dependencies): Handler<KeyOnly> {
  const recentUse = createRecentUse(dependencies.database);
  return defineHandler({
    ...poolMessage,
    // Short retries, because without pool runs every create is a cold start.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      for (const { delayMs, id } of await reconcilePools(dependencies, recentUse, key, logger)) {
        send(poolMessage, key, {}, { delayMs, dedupe: id });
      }
    },
  });
}
