// Makes the release of this program the one that runs. `upgrade` starts it as a program of the new release, and to go back as one of the
// old release: each release knows its own steps.
import { resolve } from 'node:path';
import type { Logger } from '@berth/telemetry';
import type { Installation } from '../install/installation.ts';
import { requireDeployment } from '../install/require-record.ts';
import { thisRelease } from '../install/this-release.ts';
import { holdName } from '../machine/hold-name.ts';
import { runSteps, type Step } from '../steps/run-steps.ts';
import { changeDockerSettings } from '../up/change-docker-settings.ts';
import { keepArchive } from '../up/keep-archive.ts';
import { linkRelease } from '../up/link-release.ts';
import { loadImages } from '../up/load-images.ts';
import { migrateDatabase } from '../up/migrate-database.ts';
import { startControlPlane } from '../up/start-control-plane.ts';
import { startEdge } from '../up/start-edge.ts';
import { startEngines } from '../up/start-engines.ts';
import { startRunner } from '../up/start-runner.ts';
import { trySandbox } from '../up/try-sandbox.ts';
import type { UpContext } from '../up/up-context.ts';
import { writeSettings } from '../up/write-settings.ts';

export const switchName = 'berth-switch';

/** The schema comes first: the release before works on it, and nothing else is changed when it fails. */
const steps: readonly Step<UpContext>[] = [
  writeSettings,
  loadImages,
  migrateDatabase,
  linkRelease,
  changeDockerSettings,
  startEngines,
  startControlPlane,
  startEdge,
  startRunner,
  trySandbox,
  // Last: machines that join get the release that has proved itself.
  keepArchive,
];

export interface SwitchOptions {
  readonly archive: string | undefined;
  readonly images: string | undefined;
  readonly controlImage: string | undefined;
  readonly logger: Logger;
}

export async function switchRelease(
  installation: Installation,
  { archive, images, controlImage, logger }: SwitchOptions,
): Promise<void> {
  await using _ = await holdName(switchName);
  const context: UpContext = {
    ...installation,
    logger,
    choices: requireDeployment(installation).choices,
    release: await thisRelease(),
    archive,
    imagesFolder: images && resolve(images),
    controlImage,
    acmeRoot: undefined,
    wildcard: undefined,
    agree: async () => true,
  };
  await runSteps(steps, context, { print: installation.print, now: () => performance.now() });
}
