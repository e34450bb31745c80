// Gives new instances of a revision to runners. The reservation and the row are in one transaction, and the reservation
// itself says whether there is room: what was read before it may be old. Two that take several runners in another order may
// wait for each other; the database ends one of them, and the engine runs it again.
import type { DatabaseTransaction } from '@berth/database';
import { uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import { instanceSpec, memoryOf } from '../instance/instance-spec.ts';
import { type Candidate, type Placement, place } from '../place/place.ts';
import { waitingMessage } from '../place/waiting.ts';
import { preferredIsolation, type WorkloadSpec } from '../workload-spec.ts';
import type { Dependencies } from './dependencies.ts';
import type { Loaded } from './load.ts';
import { loadConnections, loadRegions } from './references.ts';

export interface Started {
  readonly id: string;
  readonly runnerId: string;
}

export interface StartResult {
  readonly started: readonly Started[];
  /** Why not all of them have a runner. */
  readonly waiting: string | undefined;
}

export async function startInstances(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: Loaded,
  revision: string,
  count: number,
): Promise<StartResult> {
  const { workload, specs } = loaded;
  const spec = specs.get(revision);
  if (spec === undefined) return { started: [], waiting: undefined };
  const allowed = await loadRegions(tx, workload.workspace.id, dependencies.regions, spec);
  const reservedMb = Math.ceil(memoryOf(spec, dependencies.config) / dependencies.config.overcommit);
  const need = {
    regions: allowed.regions.map(({ name }) => name),
    isolation: preferredIsolation(spec),
    reservedMb,
    holders: new Set(loaded.holders.get(revision)),
  };
  const all = await loadRunners(tx);
  let runners: readonly Candidate[] = all;
  const placements: Placement[] = [];
  while (placements.length < count) {
    const placement = place(runners, need, dependencies.random);
    if (placement === undefined) break;
    const { id } = placement.runner;
    const reservedNow = await reserve(tx, id, reservedMb);
    // Full or gone since it was read: the next best one is asked.
    runners = runners.flatMap((runner) => {
      if (runner.id !== id) return [runner];
      return reservedNow === undefined ? [] : [{ ...runner, reservedMb: reservedNow }];
    });
    if (reservedNow === undefined) continue;
    need.holders.add(id);
    placements.push(placement);
  }
  return {
    started: await insertInstances(tx, dependencies, loaded, { revision, spec, reservedMb }, placements),
    waiting: placements.length === count ? undefined : waitingMessage(all, allowed, need),
  };
}

async function loadRunners(tx: DatabaseTransaction): Promise<Candidate[]> {
  const rows = await tx
    .selectFrom('runners')
    .select(['id', 'status', 'region', 'isolation', 'memory_mb', 'reserved_mb'])
    .execute();
  return rows.map(({ id, status, region, isolation, memory_mb, reserved_mb }) => ({
    id,
    status,
    region,
    isolation,
    memoryMb: memory_mb,
    reservedMb: reserved_mb,
  }));
}

/** What the runner has promised with it; undefined when it has no room or is not up. */
async function reserve(tx: DatabaseTransaction, runnerId: string, mb: number): Promise<number | undefined> {
  const reserved = await tx
    .updateTable('runners')
    .set({ reserved_mb: sql<number>`reserved_mb + ${mb}` })
    .where('id', '=', runnerId)
    .where('status', '=', 'up')
    .where(sql<boolean>`reserved_mb + ${mb} <= memory_mb`)
    .returning('reserved_mb')
    .executeTakeFirst();
  return reserved?.reserved_mb;
}

interface Deployed {
  readonly revision: string;
  readonly spec: WorkloadSpec;
  readonly reservedMb: number;
}

async function insertInstances(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  { workload }: Loaded,
  { revision, spec, reservedMb }: Deployed,
  placements: readonly Placement[],
): Promise<Started[]> {
  if (placements.length === 0) return [];
  const connections = await loadConnections(tx, workload.workspace.id, spec);
  const rows = placements.map(({ runner, isolation }) => ({
    id: uuidv7(),
    workspace_id: workload.workspace.id,
    resource_uid: workload.uid,
    revision,
    runner_id: runner.id,
    spec: JSON.stringify(instanceSpec(workload, spec, { region: runner.region, isolation }, connections, dependencies)),
    reserved_mb: reservedMb,
  }));
  // One by one: a statement for each number of rows would be prepared and kept.
  for (const row of rows) await tx.insertInto('instances').values(row).execute();
  return rows.map(({ id, runner_id }) => ({ id, runnerId: runner_id }));
}
