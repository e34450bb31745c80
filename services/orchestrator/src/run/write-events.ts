import { mayFollow } from '@berth/contract';
import type { DatabaseTransaction } from '@berth/database';
import type { StatusEvent } from './status-event.ts';

/** Throws when a status may not follow the previous one, which is a bug in the plan. */
export async function writeEvents(
  tx: DatabaseTransaction,
  uid: string,
  from: string,
  events: readonly StatusEvent[],
): Promise<void> {
  requireLegal(from, events);
  for (const { type, status, message, revision } of events) {
    await tx
      .insertInto('resource_events')
      .values({ resource_uid: uid, type, status, message, revision: revision ?? null })
      .execute();
  }
}

function requireLegal(from: string, events: readonly StatusEvent[]): void {
  let current = from;
  for (const { status } of events) {
    if (!mayFollow(current, status)) throw new Error(`The status ${status} may not follow ${current}.`);
    current = status;
  }
}
