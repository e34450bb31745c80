// Revisions: immutable copies of the deployable spec, written together with the change. The last five are kept, and
// older ones while they are in use.
import { randomBytes } from 'node:crypto';
import { type Kind, resourceErrors } from '@berth/contract';
import { type Database, type DatabaseTransaction, type JsonObject, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import type { ResourceRow } from './record.ts';

const keptRevisions = 5;

/** The part of a spec that is deployed; `revision` (traffic) and `enabled` are settings beside it. */
export function deployable({ revision: _traffic, enabled: _switch, ...spec }: JsonObject): JsonObject {
  return spec;
}

export const newRevisionId = (): string => `rev-${randomBytes(6).toString('hex')}`;

interface Traffic {
  readonly active?: unknown;
  readonly canary?: unknown;
  readonly canaryPercent?: unknown;
}

const trafficOf = (spec: JsonObject): Traffic =>
  typeof spec.revision === 'object' && spec.revision !== null ? spec.revision : {};

export async function addRevision(
  tx: DatabaseTransaction,
  row: Pick<ResourceRow, 'uid' | 'spec'>,
  id: string,
  status: string,
  by: string,
): Promise<void> {
  const { active, canary } = trafficOf(row.spec);
  const kept = [active, canary].filter((held) => typeof held === 'string');
  await sql`
    with made as (
      insert into revisions (resource_uid, id, number, spec, status, created_by)
      select ${row.uid}, ${id}, coalesce(max(number), 0) + 1, ${JSON.stringify(deployable(row.spec))}, ${status}, ${by}
      from revisions where resource_uid = ${row.uid}
      returning number
    )
    delete from revisions using made
    where resource_uid = ${row.uid} and revisions.number <= made.number - ${keptRevisions} and id <> all(${kept}::text[])
      and not exists (
        select 1 from instances where instances.resource_uid = ${row.uid} and instances.revision = revisions.id
          and ${unendedInstance('instances')}
      )`.execute(tx);
}

/**
 * If the newest revision was active, the new revision takes its place; if an older one was chosen, that one stays.
 * Control-plane sheet 4.6.
 */
export async function trafficToNew(
  tx: DatabaseTransaction,
  uid: string,
  spec: JsonObject,
  made: string,
): Promise<JsonObject> {
  const { active } = trafficOf(spec);
  if (typeof active !== 'string') return spec;
  const newest = await tx
    .selectFrom('revisions')
    .select('id')
    .where('resource_uid', '=', uid)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.id === active ? { ...spec, revision: { ...trafficOf(spec), active: made } } : spec;
}

/** Traffic may only be assigned to revisions that are still kept. */
export async function requireKnownRevisions(tx: DatabaseTransaction, uid: string, spec: JsonObject): Promise<void> {
  const { active, canary } = trafficOf(spec);
  for (const [field, id] of Object.entries({ active, canary })) {
    if (typeof id !== 'string' || id === '') continue;
    const found = await tx
      .selectFrom('revisions')
      .select('id')
      .where('resource_uid', '=', uid)
      .where('id', '=', id)
      .executeTakeFirst();
    if (found === undefined)
      throw resourceErrors.unknown_reference({ field: `spec.revision.${field}`, kind: 'revision', name: id });
  }
}

/** Kinds that need no start: their revisions are in use as soon as they are written. */
const isUsedAtOnce = (kind: Kind, row: ResourceRow): boolean =>
  kind.runs !== true && kind.arrival?.(row.spec).status === 'DEPLOYED';

/** The revision in use. An empty choice counts as none, and then the newest is used. */
function activeOf(kind: Kind, row: ResourceRow, newest: string | undefined): unknown {
  if (kind.runs === true) return row.state?.activeRevision;
  const { active } = trafficOf(row.spec);
  if (active !== undefined && active !== '') return active;
  return isUsedAtOnce(kind, row) ? newest : undefined;
}

export async function listRevisions(database: Database, kind: Kind, row: ResourceRow) {
  const rows = await database
    .selectFrom('revisions')
    .selectAll()
    .where('resource_uid', '=', row.uid)
    .orderBy('number', 'desc')
    .execute();
  const traffic = trafficOf(row.spec);
  const active = activeOf(kind, row, rows[0]?.id);
  const hasShares = kind.runs === true || isUsedAtOnce(kind, row);
  const canaryPercent =
    typeof traffic.canary === 'string' && typeof traffic.canaryPercent === 'number' ? traffic.canaryPercent : 0;
  const activeIndex = rows.findIndex(({ id }) => id === active);
  return rows.map((revision, index) => ({
    id: revision.id,
    active: revision.id === active,
    canary: revision.id === traffic.canary,
    previousActive: activeIndex >= 0 && index === activeIndex + 1,
    status: revision.status,
    trafficPercent: hasShares ? shareOf(revision.id, { active, canary: traffic.canary, canaryPercent }) : 0,
    createdAt: revision.created_at.toISOString(),
    createdBy: revision.created_by,
  }));
}

/** Percentage of requests, or of executions, that use a revision; none for kinds that do neither. */
const shareOf = (
  id: string,
  { active, canary, canaryPercent }: { active: unknown; canary: unknown; canaryPercent: number },
): number => (id === active ? 100 - canaryPercent : id === canary ? canaryPercent : 0);
