// The end of a sandbox, whoever ends it: a caller, or a rule of its own. Its record stays for a while and its name is free at
// once; what ran of it is told to go, and what it held is let go of. The caller holds the resource's row, and gives back
// counters and limits as the last thing of its transaction.
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';

const HeldVolumes = z.object({
  volumes: z.array(z.object({ name: z.string().optional(), type: z.string().optional() })).nullish(),
});

export interface EndingSandbox {
  readonly uid: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly spec: JsonObject;
}

export interface Ending {
  readonly type: 'deletion' | 'expiration';
  /** For people: who or what ended it. */
  readonly message: string;
}

export interface Ended {
  readonly terminatedAt: Date;
  /** What was told to go; whoever ended it rings for the runners. */
  readonly retired: readonly { readonly id: string; readonly runnerId: string }[];
}

/** Undefined when it has ended already: then nothing is written, and nothing is to be given back. */
export async function terminateSandbox(
  tx: DatabaseTransaction,
  sandbox: EndingSandbox,
  { type, message }: Ending,
): Promise<Ended | undefined> {
  const { uid } = sandbox;
  const ended = await tx
    .updateTable('resources')
    .set({ status: 'TERMINATED', terminated_at: sql<Date>`clock_timestamp()` })
    .where('uid', '=', uid)
    .where('terminated_at', 'is', null)
    .returning('terminated_at')
    .executeTakeFirst();
  if (ended?.terminated_at == null) return undefined;
  await tx.insertInto('resource_events').values({ resource_uid: uid, type, status: 'TERMINATED', message }).execute();
  await tx.deleteFrom('host_labels').where('resource_uid', '=', uid).execute();
  await detachVolumes(tx, sandbox);
  const retired = await retire(tx, uid);
  return { terminatedAt: ended.terminated_at, retired };
}

/** In the order of their ids, as reports are recorded, so that nobody waits for each other in a circle. */
async function retire(tx: DatabaseTransaction, uid: string): Promise<Ended['retired']> {
  const { rows } = await sql<{ id: string; runnerId: string }>`
    update instances set desired = 'gone' where id = any(array(
      select id from instances where resource_uid = ${uid} and ended_at is null and desired <> 'gone'
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

/** A volume knows its holder by name: the next sandbox of that name gets none of it. */
async function detachVolumes(tx: DatabaseTransaction, { workspaceId, name, spec }: EndingSandbox): Promise<void> {
  const { volumes } = HeldVolumes.parse(spec);
  const names = (volumes ?? []).flatMap((volume) => volume.name ?? []);
  if (names.length === 0) return;
  const holder = `sandbox:${name}`;
  const { rows } = await sql<{ uid: string }>`
    update resources set state = state - 'attachedTo', updated_at = now() where uid = any(array(
      select uid from resources
      where workspace_id = ${workspaceId} and kind = 'volume' and name = any(${names}::text[])
        and terminated_at is null and state ->> 'attachedTo' = ${holder}
      order by name for update
    )) returning uid`.execute(tx);
  for (const { uid } of rows) {
    await tx
      .insertInto('resource_events')
      .values({ resource_uid: uid, type: 'detach', message: `No longer reserved for ${holder}.` })
      .execute();
  }
}
