import { defineHandler, type Handler, type KeyOnly, reconcileMessage } from '@berth/durable';
import type { Dependencies } from '../run/dependencies.ts';
import { reconcileResource } from './reconcile-resource.ts';

export function reconcileHandler(dependencies: Dependencies): Handler<KeyOnly> {
  return defineHandler({
    ...reconcileMessage,
    // Short retries, so that work that fell due while this process was away does not wait a further minute.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      for (const { delayMs, id } of await reconcileResource(dependencies, key, logger)) {
        send(reconcileMessage, key, {}, { delayMs, dedupe: id });
      }
    },
  });
}
