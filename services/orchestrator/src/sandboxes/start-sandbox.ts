// Places the wanted boot of a sandbox on a runner: the reservation and the instance's row
// are written in one transaction.
import { type DatabaseTransaction, uuidv7 } from '@berth/database';
import {
  bootRevision,
  isolationNeedOf,
  limitMessage,
  loadRegions,
  lockRoom,
  sandboxInstanceSpec,
  sandboxReservedMb,
  takeRunners,
  WorkloadSpec,
  waitingMessage,
} from '@berth/instances';
import type { Dependencies } from '../run/dependencies.ts';
import type { Started } from '../run/reconciler.ts';
import type { LoadedSandbox } from './load.ts';

export interface PlacedSandbox {
  readonly started: readonly Started[];
  /** Reason why the sandbox was not placed. */
  readonly waiting: string | undefined;
}

export async function startSandbox(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  { uid, name, workspace, accountId, spec, image, observed }: LoadedSandbox,
): Promise<PlacedSandbox> {
  if (image === undefined) return { started: [], waiting: undefined };
  const { placement, regions, limits, random } = dependencies;
  const allowed = await loadRegions(tx, workspace.id, regions, WorkloadSpec.parse({ region: spec.region }));
  const reservedMb = sandboxReservedMb(spec, placement);
  const need = {
    regions: allowed.regions.map((region) => region.name),
    ...isolationNeedOf('sandbox', spec, placement.runcFor),
    reservedMb,
    holders: new Set<string>(),
    avoidsPressure: true,
  };
  const room = await lockRoom(tx, accountId, limits, reservedMb);
  if (room.count < 1) return { started: [], waiting: limitMessage(room) };
  const { placements, runners } = await takeRunners(tx, need, 1, random);
  const [placed] = placements;
  if (placed === undefined) return { started: [], waiting: waitingMessage(runners, allowed, need) };
  const revision = bootRevision(observed.boot.number);
  const where = { region: placed.runner.region, isolation: placed.isolation, image };
  const instance = {
    id: uuidv7(),
    workspace_id: workspace.id,
    resource_uid: uid,
    revision,
    runner_id: placed.runner.id,
    spec: JSON.stringify({
      ...sandboxInstanceSpec({ uid, name, workspace }, spec, where, dependencies),
      traceparent: dependencies.traceparent,
    }),
    reserved_mb: reservedMb,
  };
  await tx.insertInto('instances').values(instance).execute();
  return { started: [{ id: instance.id, runnerId: instance.runner_id, revision }], waiting: undefined };
}
