// Places new instances of a revision on runners: the reservations and the instances' rows
// are written in one transaction.
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import {
  type ChosenImage,
  isolationNeedOf,
  limitMessage,
  loadConnections,
  loadRegions,
  lockRoom,
  type Placement,
  takeRunners,
  type WorkloadSpec,
  waitingMessage,
  workloadInstanceSpec,
  workloadMemoryMb,
} from '@berth/instances';
import type { Dependencies } from '../run/dependencies.ts';
import type { Started } from '../run/reconciler.ts';
import type { LoadedDeployment } from './load.ts';

export interface StartResult {
  readonly started: readonly Started[];
  /** Reason why not all instances were placed. */
  readonly waiting: string | undefined;
  /** More instances are wanted than one run may start. */
  readonly hasMore: boolean;
}

/**
 * A run locks the rows of the runners it uses and other placements wait for them, so each run starts at most this many.
 */
const maxPerRun = 50;

export async function startInstances(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  loaded: LoadedDeployment,
  revision: string,
  count: number,
): Promise<StartResult> {
  const { workload, specs, images } = loaded;
  const spec = specs.get(revision);
  const image = images.get(revision);
  if (spec === undefined) return { started: [], waiting: undefined, hasMore: false };
  if (image === undefined) return { started: [], waiting: revisionFault(loaded, revision), hasMore: false };
  const { placement, regions, limits, random } = dependencies;
  const allowed = await loadRegions(tx, workload.workspace.id, regions, spec);
  const reservedMb = Math.ceil(workloadMemoryMb(spec, placement) / placement.overcommit);
  const need = {
    regions: allowed.regions.map(({ name }) => name),
    ...isolationNeedOf('workload', spec, placement.runcFor),
    reservedMb,
    holders: loaded.holders.get(revision) ?? new Set<string>(),
  };
  const room = await lockRoom(tx, loaded.accountId, limits, reservedMb);
  const taken = Math.min(count, room.count, maxPerRun);
  const { placements, runners } = await takeRunners(tx, need, taken, random);
  const started = await insertInstances(tx, dependencies, loaded, { revision, spec, image, reservedMb }, placements);
  if (placements.length < taken) return { started, waiting: waitingMessage(runners, allowed, need), hasMore: false };
  return {
    started,
    waiting: taken === room.count && taken < count ? limitMessage(room) : undefined,
    hasMore: taken < Math.min(count, room.count),
  };
}

const revisionFault = ({ observed }: LoadedDeployment, revision: string): string | undefined =>
  observed.revisions.find(({ id }) => id === revision)?.fault;

interface StartedRevision {
  readonly revision: string;
  readonly spec: WorkloadSpec;
  readonly image: ChosenImage;
  readonly reservedMb: number;
}

async function insertInstances(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  { workload }: LoadedDeployment,
  { revision, spec, image, reservedMb }: StartedRevision,
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
    spec: JSON.stringify({
      ...workloadInstanceSpec(workload, spec, { region: runner.region, isolation, image }, connections, dependencies),
      traceparent: dependencies.traceparent,
    }),
    reserved_mb: reservedMb,
  }));
  // One by one, because a prepared statement would be kept for each number of rows.
  for (const row of rows) await tx.insertInto('instances').values(row).execute();
  return rows.map(({ id, runner_id }) => ({ id, runnerId: runner_id, revision }));
}
