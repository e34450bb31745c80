// Adds the state of its instances to a sandbox's response, with one query for a whole page.
import { IsolationClass } from '@berth/contract/node';
import { type Database, liveInstance, unendedInstance } from '@berth/database';
import { expiresInSeconds, limitOf, nodeGenerationOf } from '@berth/instances';
import { sql } from 'kysely';
import type { ResourceRow } from '../resources/record.ts';
import type { Rendered, View } from '../resources/render.ts';

interface ShownInstance {
  readonly id: string;
  readonly uid: string;
  readonly state: string;
  readonly isCurrent: boolean;
  readonly awake: boolean;
  readonly usedAt: Date | null;
  readonly isolation: string | null;
  readonly code: string | null;
  readonly message: string | null;
  readonly failedAt: Date | null;
}

export async function showInstances(
  database: Database,
  items: readonly Rendered[],
  rows: readonly ResourceRow[],
  view: View,
): Promise<Rendered[]> {
  const instances = await loadInstances(
    database,
    rows.map(({ uid }) => uid),
  );
  return items.map((item, index) => {
    const row = rows[index];
    return row === undefined ? item : show(item, row, instances.get(row.uid) ?? [], view);
  });
}

/** Live instances and recently failed ones, oldest first. */
async function loadInstances(database: Database, uids: readonly string[]): Promise<Map<string, ShownInstance[]>> {
  const found = new Map<string, ShownInstance[]>(uids.map((uid) => [uid, []]));
  if (uids.length === 0) return found;
  const { rows } = await sql<ShownInstance>`
    select id, resource_uid as uid, state, ${liveInstance()} as "isCurrent", awake,
      used_at as "usedAt", spec->>'isolation' as isolation, code, message, failed_at as "failedAt"
    from instances
    where resource_uid = any(${[...uids]}::uuid[]) and (${unendedInstance()} or failed_at is not null)
    order by created_at`.execute(database);
  for (const row of rows) found.get(row.uid)?.push(row);
  return found;
}

/** Fields that apply only to a running sandbox, or to one that a rule will end, are left out otherwise. */
function show(item: Rendered, row: ResourceRow, instances: readonly ShownInstance[], view: View): Rendered {
  const { state: _stored, ...shown } = item;
  const isOver = row.status === 'TERMINATED';
  const current = isOver ? undefined : instances.findLast(({ isCurrent }) => isCurrent);
  const usedAt = instances.findLast((instance) => instance.usedAt !== null)?.usedAt ?? undefined;
  const expiresIn = isOver ? undefined : secondsLeft(row, usedAt, view);
  const isolation = IsolationClass.safeParse(current?.isolation);
  const errors = instances.filter(({ failedAt }) => failedAt !== null).map((failed) => renderError(failed, row));
  return {
    ...shown,
    ...(errors.length === 0 ? {} : { errors }),
    ...(current?.state === 'ready' ? { state: current.awake ? 'RUNNING' : 'STANDBY' } : {}),
    ...(usedAt === undefined ? {} : { lastUsedAt: usedAt.toISOString() }),
    ...(isolation.success ? { nodeGeneration: nodeGenerationOf(isolation.data) } : {}),
    ...(expiresIn === undefined ? {} : { expiresIn }),
  };
}

function secondsLeft(
  { spec, created_at }: ResourceRow,
  usedAt: Date | undefined,
  { workspace, dependencies }: View,
): number | undefined {
  const lifetime = {
    createdAtMs: created_at.getTime(),
    lastUsedAtMs: usedAt?.getTime(),
    maxDays: limitOf(workspace.account, dependencies.config, 'sandbox_ttl'),
  };
  return expiresInSeconds(spec, lifetime, dependencies.now());
}

const renderError = ({ id, code, message, failedAt }: ShownInstance, { status }: ResourceRow) => ({
  ...(code === null ? {} : { code: code.toUpperCase() }),
  ...(message === null ? {} : { message }),
  ...(failedAt === null ? {} : { time: failedAt.toISOString() }),
  instance: id,
  fatal: status === 'FAILED',
});
