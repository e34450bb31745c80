import type { Database, DatabaseTransaction, Tables } from '@berth/database';
import { type Selectable, sql } from 'kysely';
import type { ResourceRow } from './record.ts';

export interface NewEvent {
  readonly type: string;
  readonly status?: string | undefined;
  readonly message: string;
  readonly revision?: string | undefined;
}

export type EventRow = Pick<
  Selectable<Tables['resource_events']>,
  'type' | 'status' | 'message' | 'revision' | 'canary_revision' | 'time'
>;

const maxEvents = 100;

export async function addEvent(tx: DatabaseTransaction, resourceUid: string, event: NewEvent): Promise<EventRow> {
  const { type, status, message, revision } = event;
  return tx
    .insertInto('resource_events')
    .values({ resource_uid: resourceUid, type, status: status ?? null, message, revision: revision ?? null })
    .returning(['type', 'status', 'message', 'revision', 'canary_revision', 'time'])
    .executeTakeFirstOrThrow();
}

/**
 * Newest events of each resource, oldest first. No event is older than its resource, so partitions before `created_at`
 * are skipped.
 */
export async function loadEvents(
  database: Database,
  rows: readonly Pick<ResourceRow, 'uid' | 'created_at'>[],
): Promise<Map<string, EventRow[]>> {
  const events = new Map<string, EventRow[]>(rows.map(({ uid }) => [uid, []]));
  if (rows.length === 0) return events;
  const uids = rows.map(({ uid }) => uid);
  const since = rows.map(({ created_at }) => created_at);
  const found = await sql<EventRow & { uid: string }>`
    select asked.uid, event.type, event.status, event.message, event.revision, event.canary_revision, event.time
    from unnest(${uids}::uuid[], ${since}::timestamptz[]) as asked(uid, since)
    cross join lateral (
      select e.id, e.time, e.type, e.status, e.message, e.revision, e.canary_revision
      from resource_events e where e.resource_uid = asked.uid and e.time >= asked.since
      order by e.time desc, e.id desc limit ${maxEvents}
    ) as event
    order by event.time, event.id`.execute(database);
  for (const { uid, ...event } of found.rows) events.get(uid)?.push(event);
  return events;
}

export function renderEvent(event: EventRow) {
  return {
    time: event.time.toISOString(),
    type: event.type,
    ...(event.status === null ? {} : { status: event.status }),
    ...(event.message === null ? {} : { message: event.message }),
    ...(event.revision === null ? {} : { revision: event.revision }),
    ...(event.canary_revision === null ? {} : { canaryRevision: event.canary_revision }),
  };
}
