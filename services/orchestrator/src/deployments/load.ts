// Loads everything that a decision needs, after the resource's row is locked.
import { type DatabaseTransaction, type JsonObject, type Tables, unendedInstance } from '@berth/database';
import {
  type ChosenImage,
  findImage,
  type InstanceOwner,
  imageFaultMessage,
  instanceLimits,
  TrafficSpec,
  WorkloadSpec,
  workloadFault,
} from '@berth/instances';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Dependencies } from '../run/dependencies.ts';
import type { ResourceRow } from '../run/lock-resource.ts';
import { loadNewestEvent } from '../run/newest-event.ts';
import type { Demand, DeploymentRecord, ObservedDeployment, ObservedInstance } from './observed.ts';

export interface LoadedDeployment {
  readonly workload: InstanceOwner;
  readonly accountId: string;
  /** The stored `state` of the resource; other services own parts of it. */
  readonly state: JsonObject;
  readonly observed: ObservedDeployment;
  /** Specs by revision id. */
  readonly specs: ReadonlyMap<string, WorkloadSpec>;
  /** Images by revision id; absent where the image cannot be used. */
  readonly images: ReadonlyMap<string, ChosenImage>;
  /** Runners that hold a live instance of a revision, by revision id. */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Number of ended instances per revision from which its failures are counted. */
const rememberedEnds = 10;

const StoredRecord = z.object({
  activeRevision: z.string().optional(),
  previousActiveRevision: z.string().optional(),
  observedGeneration: z.number().optional(),
  attemptAt: z.number().optional(),
});

export async function loadDeployment(
  tx: DatabaseTransaction,
  row: ResourceRow,
  dependencies: Pick<Dependencies, 'scaling' | 'placement' | 'brand'>,
): Promise<LoadedDeployment> {
  const { scaling } = dependencies;
  const workspace = await tx
    .selectFrom('workspaces')
    .select(['id', 'name', 'account_id', sql<Date>`clock_timestamp()`.as('now')])
    .where('id', '=', row.workspace_id)
    .executeTakeFirstOrThrow();
  const revisions = await tx
    .selectFrom('revisions')
    .select(['id', 'status', 'spec'])
    .where('resource_uid', '=', row.uid)
    .orderBy('number', 'desc')
    .execute();
  const specs = new Map(revisions.map(({ id, spec }) => [id, WorkloadSpec.parse(spec)]));
  const { images, faults } = await loadImages(tx, workspace, specs, dependencies);
  const instances = await loadInstances(tx, row.uid, [...specs.keys()]);
  const traffic = TrafficSpec.parse(row.spec);
  const { active, canary, canaryPercent } = traffic.revision;
  return {
    workload: { uid: row.uid, kind: row.kind, name: row.name, workspace },
    accountId: workspace.account_id,
    state: row.state ?? {},
    specs,
    images,
    holders: holdersOf(instances),
    observed: {
      now: workspace.now.getTime(),
      status: row.status ?? 'DEPLOYING',
      generation: row.generation,
      isEnabled: traffic.enabled,
      chosen: active,
      canary: canaryPercent > 0 ? canary : undefined,
      canaryPercent,
      demand: await loadDemand(tx, row.uid),
      scaling: { requestsPerInstance: scaling.requestsPerInstance, idleMs: scaling.idleSeconds * 1_000 },
      record: recordIn(row.state),
      revisions: revisions.map(({ id, status }) => {
        const spec = specs.get(id) ?? WorkloadSpec.parse({});
        return {
          id,
          status,
          ...instanceLimits(spec, scaling.mostInstances),
          fault: workloadFault(row.kind, spec) ?? faults.get(id),
        };
      }),
      instances: instances.map(observedInstance),
      newestEvent: await loadNewestEvent(tx, row),
    },
  };
}

/** For each revision that names an image: the image, or the reason why it cannot be used. */
async function loadImages(
  tx: DatabaseTransaction,
  workspace: { readonly id: string; readonly name: string },
  specs: ReadonlyMap<string, WorkloadSpec>,
  settings: Pick<Dependencies, 'placement' | 'brand'>,
): Promise<{ images: Map<string, ChosenImage>; faults: Map<string, string> }> {
  const images = new Map<string, ChosenImage>();
  const faults = new Map<string, string>();
  for (const [id, { runtime }] of specs) {
    const named = runtime.image ?? '';
    if (named === '') continue;
    const choice = await findImage(tx, workspace, named, settings);
    if ('fault' in choice) faults.set(id, imageFaultMessage(choice.fault, named));
    else images.set(id, choice);
  }
  return { images, faults };
}

const recordIn = (state: JsonObject | null): DeploymentRecord => StoredRecord.parse(state ?? {});

/** Sum of the unexpired reports of all gateways. */
async function loadDemand(tx: DatabaseTransaction, uid: string): Promise<Demand> {
  const row = await tx
    .selectFrom('workload_demand')
    .select([
      sql<number>`coalesce(sum(requests), 0)::int`.as('requests'),
      sql<Date | null>`min(expires_at)`.as('until'),
    ])
    .where('resource_uid', '=', uid)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirstOrThrow();
  return { requests: row.requests, until: row.until?.getTime() };
}

type InstanceRow = Pick<
  Selectable<Tables['instances']>,
  'id' | 'revision' | 'runner_id' | 'desired' | 'message' | 'created_at' | 'ready_at' | 'failed_at' | 'ended_at'
> &
  Pick<ObservedInstance, 'state'>;

/** All live instances, and the newest ended ones of each revision. */
async function loadInstances(tx: DatabaseTransaction, uid: string, revisions: string[]): Promise<InstanceRow[]> {
  const { rows } = await sql<InstanceRow>`
    select id, revision, runner_id, desired, state, message, created_at, ready_at, failed_at, ended_at
    from instances where resource_uid = ${uid} and ${unendedInstance()}
    union all
    select ended.id, ended.revision, ended.runner_id, ended.desired, ended.state, ended.message, ended.created_at,
      ended.ready_at, ended.failed_at, ended.ended_at
    from unnest(${revisions}::text[]) as asked(revision)
    cross join lateral (
      select id, revision, runner_id, desired, state, message, created_at, ready_at, failed_at, ended_at
      from instances where resource_uid = ${uid} and revision = asked.revision and ended_at is not null
      order by created_at desc limit ${rememberedEnds}
    ) as ended`.execute(tx);
  return rows;
}

const observedInstance = (row: InstanceRow): ObservedInstance => ({
  id: row.id,
  revision: row.revision,
  desired: row.desired,
  state: row.state,
  message: row.message ?? undefined,
  createdAt: row.created_at.getTime(),
  readyAt: row.ready_at?.getTime(),
  failedAt: row.failed_at?.getTime(),
  endedAt: row.ended_at?.getTime(),
});

function holdersOf(instances: readonly InstanceRow[]): Map<string, Set<string>> {
  const holders = new Map<string, Set<string>>();
  for (const { revision, runner_id, ended_at } of instances) {
    if (ended_at === null) holders.set(revision, (holders.get(revision) ?? new Set()).add(runner_id));
  }
  return holders;
}
