// Containers of orphans. They keep their files, and take no CPU while nobody can reach them.
import type { Orphan } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { type ContainerState, containerLabels, type Driver } from '../driver/driver.ts';
import type { AdoptionFiles } from '../sandbox/adoption-files.ts';
import type { Freezable, Freezer } from '../sleep/freezer.ts';

export interface OrphanContainers {
  readonly driver: Driver;
  readonly runnerId: string;
  readonly freezer: Freezer;
  readonly logger: Logger;
}

export const instanceOf = ({ labels }: ContainerState): string | undefined => labels[containerLabels.instance];

/** Instances of these containers that the deployment does not name. */
export function orphansAmong(
  containers: readonly ContainerState[],
  named: ReadonlySet<string>,
  adopted: Pick<AdoptionFiles, 'find'>,
): Orphan[] {
  return containers.flatMap((container) => {
    const instance = instanceOf(container);
    if (instance === undefined || named.has(instance)) return [];
    const label = container.labels[containerLabels.workspace];
    // A recorded adoption wins: labels cannot change.
    const workspaceId = adopted.find(instance)?.workspaceId ?? (label === '' ? undefined : label);
    const isSandbox = containerLabels.sandbox in container.labels;
    return [{ instance, isSandbox, ...(workspaceId === undefined ? {} : { workspaceId }) }];
  });
}

/** A container that cannot be frozen goes on; it is kept all the same. */
export async function freezeOrphan(container: ContainerState, { freezer, logger }: OrphanContainers): Promise<void> {
  const running = runningPart(container);
  if (running === undefined || container.status !== 'running') return;
  await freezer.freeze(running).catch((err: unknown) => {
    logger.warn({ err, instance: instanceOf(container) }, 'freeze of orphan failed; it is kept running');
  });
}

/** Before the removal: a frozen process does not react to signals. */
export async function thawOrphan(instance: string, { driver, runnerId, freezer }: OrphanContainers): Promise<void> {
  const found = await driver.list({ name: containerLabels.instance, value: instance });
  const container = found.find(({ labels }) => labels[containerLabels.runner] === runnerId);
  const running = container && runningPart(container);
  if (running !== undefined) await freezer.thaw(running);
}

function runningPart({ id, pid, isolation }: ContainerState): Freezable | undefined {
  return pid === undefined || isolation === undefined ? undefined : { containerId: id, pid, isolation };
}
