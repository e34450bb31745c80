// Loads everything that a decision about a sandbox needs, after its row is locked.
import { IsolationClass } from '@berth/contract/node';
import { type DatabaseTransaction, type JsonObject, type Tables, unendedInstance } from '@berth/database';
import {
  bootOf,
  bootRevision,
  type ChosenImage,
  expiryMessage,
  findImage,
  idleExpiry,
  imageFaultMessage,
  SandboxSpec,
  sandboxFault,
  sandboxImageName,
} from '@berth/instances';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Dependencies } from '../run/dependencies.ts';
import type { ResourceRow } from '../run/lock-resource.ts';
import { loadNewestEvent } from '../run/newest-event.ts';
import type { ObservedSandbox, SandboxInstance } from './observed.ts';

export interface LoadedSandbox {
  readonly uid: string;
  readonly name: string;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly accountId: string;
  /** The stored `state` of the resource; other services own parts of it. */
  readonly state: JsonObject;
  readonly stored: JsonObject;
  readonly spec: SandboxSpec;
  /** Undefined when the image cannot be used; then `observed.fault` is set. */
  readonly image: ChosenImage | undefined;
  readonly observed: ObservedSandbox;
}

const StoredSpec = z.object({ enabled: z.boolean().default(true) });
const StoredState = z.object({ settledBoot: z.int().default(0) });

export async function loadSandbox(
  tx: DatabaseTransaction,
  row: ResourceRow,
  settings: Pick<Dependencies, 'placement' | 'brand'>,
): Promise<LoadedSandbox> {
  const { placement } = settings;
  const workspace = await tx
    .selectFrom('workspaces')
    .select(['id', 'name', 'account_id', sql<Date>`clock_timestamp()`.as('now')])
    .where('id', '=', row.workspace_id)
    .executeTakeFirstOrThrow();
  const spec = SandboxSpec.parse(row.spec);
  const named = sandboxImageName(spec, placement) ?? '';
  const choice = named === '' ? undefined : await findImage(tx, workspace, named, settings);
  const imageFault = choice && 'fault' in choice ? imageFaultMessage(choice.fault, named) : undefined;
  const boot = bootOf(row.state);
  const createdAtMs = row.created_at.getTime();
  const expiresAt = row.expires_at?.getTime();
  return {
    uid: row.uid,
    name: row.name,
    workspace,
    accountId: workspace.account_id,
    state: row.state ?? {},
    stored: row.spec,
    spec,
    image: choice && 'image' in choice ? choice : undefined,
    observed: {
      now: workspace.now.getTime(),
      status: row.status ?? 'DEPLOYING',
      isTerminated: row.terminated_at !== null,
      isEnabled: StoredSpec.parse(row.spec).enabled,
      boot: { id: bootRevision(boot), number: boot },
      settledBoot: StoredState.parse(row.state ?? {}).settledBoot,
      expiresAt,
      expiryMessages: {
        clock: expiryMessage(row.spec, createdAtMs, expiresAt ?? 0),
        idle: idleExpiry(row.spec, { createdAtMs })?.message ?? 'Nobody has used it for long.',
      },
      fault: sandboxFault(spec, placement) ?? imageFault,
      lostAfterMs: placement.sandboxes.lostAfterSeconds * 1_000,
      instances: await loadInstances(tx, row.uid, bootRevision(boot)),
      newestEvent: await loadNewestEvent(tx, row),
    },
  };
}

type InstanceRow = Pick<
  Selectable<Tables['instances']>,
  'id' | 'revision' | 'desired' | 'message' | 'is_expired' | 'ready_at' | 'ended_at'
> & {
  readonly state: SandboxInstance['state'];
  readonly isolation: string;
  readonly away_since: Date | null;
};

/** Oldest first. */
async function loadInstances(tx: DatabaseTransaction, uid: string, boot: string): Promise<SandboxInstance[]> {
  const columns = sql`instances.id, revision, desired, state, message, is_expired, ready_at, ended_at,
    spec ->> 'isolation' as isolation,
    case when runners.status = 'lost' then runners.last_seen_at end as away_since, instances.created_at`;
  const { rows } = await sql<InstanceRow>`
    select * from (
      select ${columns} from instances join runners on runners.id = runner_id
      where resource_uid = ${uid} and ${unendedInstance()}
      union all
      (select ${columns} from instances join runners on runners.id = runner_id
      where resource_uid = ${uid} and revision = ${boot} and ended_at is not null
      order by instances.created_at desc limit 1)
    ) as known order by created_at`.execute(tx);
  return rows.map((row) => ({
    id: row.id,
    boot: row.revision,
    isolation: IsolationClass.parse(row.isolation),
    desired: row.desired,
    state: row.state,
    message: row.message ?? undefined,
    isExpired: row.is_expired,
    readyAt: row.ready_at?.getTime(),
    endedAt: row.ended_at?.getTime(),
    runnerLostSince: row.away_since?.getTime(),
  }));
}
