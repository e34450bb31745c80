import { defineHandler, type Handler, type KeyOnly, reconcileMessage } from '@berth/durable';
import { formatTraceparent } from '@berth/telemetry';
import type { Dependencies } from '../run/dependencies.ts';
import { reconcileResource } from './reconcile-resource.ts';

export function reconcileHandler(dependencies: Dependencies): Handler<KeyOnly> {
  return defineHandler({
    ...reconcileMessage,
    // Short retries, so that work that fell due while this process was away does not wait a further minute.
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send, trace }) {
      const traced = { ...dependencies, traceparent: formatTraceparent(trace) };
      for (const { delayMs, id } of await reconcileResource(traced, key, logger)) {
        send(reconcileMessage, key, {}, { delayMs, dedupe: id });
      }
    },
  });
}
