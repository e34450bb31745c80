// Ends a sandbox, on a caller's request or by a lifetime rule. Its record stays for a while and its name is free at
// once; its instances are set to `gone`, and its host labels and volumes are released. The caller holds the lock on the
// resource's row, and gives back counters and limits as the last step of its transaction.
import { type DatabaseTransaction, type JsonObject, liveResource, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';

const AttachedVolumes = z.object({
  volumes: z.array(z.object({ name: z.string().optional(), type: z.string().optional() })).nullish(),
});

export interface TerminatingSandbox {
  readonly uid: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly spec: JsonObject;
}

export interface Termination {
  readonly type: 'deletion' | 'expiration';
  /** Tells the user who or what ended the sandbox. */
  readonly message: string;
}

export interface Terminated {
  readonly terminatedAt: Date;
  /** Instances set to `gone`; the caller notifies their runners. */
  readonly retired: readonly { readonly id: string; readonly runnerId: string }[];
}

/** Undefined when the sandbox has already ended: then nothing is written, and the caller has nothing to give back. */
export async function terminateSandbox(
  tx: DatabaseTransaction,
  sandbox: TerminatingSandbox,
  { type, message }: Termination,
): Promise<Terminated | undefined> {
  const { uid } = sandbox;
  const ended = await tx
    .updateTable('resources')
    .set({ status: 'TERMINATED', terminated_at: sql<Date>`clock_timestamp()` })
    .where('uid', '=', uid)
    .where(liveResource())
    .returning('terminated_at')
    .executeTakeFirst();
  if (ended?.terminated_at == null) return undefined;
  await tx.insertInto('resource_events').values({ resource_uid: uid, type, status: 'TERMINATED', message }).execute();
  await tx.deleteFrom('host_labels').where('resource_uid', '=', uid).execute();
  await detachVolumes(tx, sandbox);
  const retired = await retire(tx, uid);
  return { terminatedAt: ended.terminated_at, retired };
}

/** Locks in id order, like the recording of reports, to avoid deadlocks. */
async function retire(tx: DatabaseTransaction, uid: string): Promise<Terminated['retired']> {
  const { rows } = await sql<{ id: string; runnerId: string }>`
    update instances set desired = 'gone' where id = any(array(
      select id from instances where resource_uid = ${uid} and ${unendedInstance()} and desired <> 'gone'
      order by id for update
    )) returning id, runner_id as "runnerId"`.execute(tx);
  return rows;
}

/** A volume stores its holder by name, so without this the next sandbox of that name would hold it. */
async function detachVolumes(tx: DatabaseTransaction, { workspaceId, name, spec }: TerminatingSandbox): Promise<void> {
  const { volumes } = AttachedVolumes.parse(spec);
  const names = (volumes ?? []).flatMap((volume) => volume.name ?? []);
  if (names.length === 0) return;
  const holder = `sandbox:${name}`;
  const { rows } = await sql<{ uid: string }>`
    update resources set state = state - 'attachedTo', updated_at = now() where uid = any(array(
      select uid from resources
      where workspace_id = ${workspaceId} and kind = 'volume' and name = any(${names}::text[])
        and ${liveResource()} and state ->> 'attachedTo' = ${holder}
      order by name for update
    )) returning uid`.execute(tx);
  for (const { uid } of rows) {
    await tx
      .insertInto('resource_events')
      .values({ resource_uid: uid, type: 'detach', message: `No longer reserved for ${holder}.` })
      .execute();
  }
}
