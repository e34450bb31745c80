// Removes what a runner has made in the Docker Engine and in the kernel: containers, networks, images and its table. Its runner has
// to be stopped before, or it makes everything again.
import { join } from 'node:path';
import type { Logger } from '@berth/telemetry';
import type Docker from 'dockerode';
import type { RunnerConfig } from './config.ts';
import { answered, answeredOr, openDocker } from './driver/docker-client.ts';
import { createDockerDriver } from './driver/docker-driver.ts';
import { containerLabels, type Driver } from './driver/driver.ts';
import { openPulledImages } from './images/pulled-images.ts';
import { openShell } from './machine/command.ts';
import { tableName } from './network/rules/ruleset.ts';
import { slotImage } from './network/slots/slot-image.ts';
import { createFreezer } from './sleep/create-freezer.ts';

export interface RemovedFromMachine {
  readonly containers: number;
  readonly networks: number;
  readonly images: number;
}

const gone = 404;
const inUse = 409;

export async function removeFromMachine(
  { dockerUrl, stateFolder }: Pick<RunnerConfig, 'dockerUrl' | 'stateFolder'>,
  logger: Logger,
): Promise<RemovedFromMachine> {
  const docker = openDocker(dockerUrl);
  const driver = createDockerDriver({ dockerUrl });
  const containers = await removeContainers(docker, driver);
  const networks = await removeNetworks(docker);
  const images = await removeImages(docker, driver, stateFolder, logger);
  await removeTable();
  return { containers, networks, images };
}

/** Instances go before slots, whose network they use. */
async function removeContainers(docker: Docker, driver: Driver): Promise<number> {
  const filters = { label: [containerLabels.runner] };
  const found = await answered(docker.listContainers({ all: true, filters }));
  const isSlot = ({ Labels }: Docker.ContainerInfo): boolean => containerLabels.slot in Labels;
  for (const { Id } of found.toSorted((one, other) => Number(isSlot(one)) - Number(isSlot(other)))) {
    await thaw(driver, Id);
    await driver.remove(Id);
  }
  return found.length;
}

/** The engine waits without an end for a sleeping container to stop. */
async function thaw(driver: Driver, id: string): Promise<void> {
  const state = await driver.inspect(id);
  if (state?.pid === undefined || state.isolation === undefined) return;
  await createFreezer(driver).thaw({ containerId: id, pid: state.pid, isolation: state.isolation });
}

async function removeNetworks(docker: Docker): Promise<number> {
  const filters = { label: [containerLabels.runner] };
  const found = await answered(docker.listNetworks({ filters }));
  for (const { Id } of found) await answeredOr([gone], docker.getNetwork(Id).remove());
  return found.length;
}

/** Images that were on the machine before stay, and so do those that another container uses. */
async function removeImages(docker: Docker, driver: Driver, stateFolder: string, logger: Logger): Promise<number> {
  const pulled = await openPulledImages(join(stateFolder, 'pulled-images.json'), logger);
  let removed = 0;
  for (const { image } of pulled.oldestFirst()) {
    if (!(await driver.removeImage(image))) continue;
    await pulled.forget(image);
    removed += 1;
  }
  await answeredOr([gone, inUse], docker.getImage(slotImage).remove());
  return removed;
}

/** A machine without nft has no table of ours. */
async function removeTable(): Promise<void> {
  const run = openShell();
  const tables = await run('nft', ['list', 'tables']).catch(() => '');
  if (tables.split('\n').includes(`table ${tableName}`)) await run('nft', ['delete', 'table', ...tableName.split(' ')]);
}
