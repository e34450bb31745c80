import type { Database } from '@berth/database';
import { defineHandler, type Handler, type KeyOnly, removalMessage } from '@berth/durable';
import { removeSome } from './remove-some.ts';

/** Each run removes one batch, so that its locks are short, and sends itself again until nothing is left. */
export function removalHandler(database: Database): Handler<KeyOnly> {
  return defineHandler({
    ...removalMessage,
    retry: { maxMs: 10_000 },
    async handle({ key, logger, send }) {
      if (await removeSome(database, key)) send(removalMessage, key, {});
      else logger.info({ workspaceId: key }, 'deleted workspace removed; nothing of it is left');
    },
  });
}
