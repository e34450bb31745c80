// From nothing to a sandbox that answers over HTTPS. Every step looks first, so the same command continues after a failure.
import { resolve } from 'node:path';
import type { Logger } from '@berth/telemetry';
import type { Choices } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';
import { primaryAddress } from '../install/primary-address.ts';
import { requireDeployment } from '../install/require-record.ts';
import { thisRelease } from '../install/this-release.ts';
import { runSteps, type Step } from '../steps/run-steps.ts';
import { agree, askForMissing } from './ask.ts';
import { changeDockerSettings } from './change-docker-settings.ts';
import { checkBefore } from './check-before.ts';
import { decideChoices, UpFlags } from './flags.ts';
import { keepArchive } from './keep-archive.ts';
import { linkRelease } from './link-release.ts';
import { loadImages } from './load-images.ts';
import { makeAccount } from './make-account.ts';
import { migrateDatabase } from './migrate-database.ts';
import { report } from './report.ts';
import { startControlPlane } from './start-control-plane.ts';
import { startEdge } from './start-edge.ts';
import { startEngines } from './start-engines.ts';
import { startRunner } from './start-runner.ts';
import { trySandbox } from './try-sandbox.ts';
import type { UpContext } from './up-context.ts';
import { writeSettings } from './write-settings.ts';

const steps: readonly Step<UpContext>[] = [
  checkBefore,
  linkRelease,
  keepArchive,
  writeSettings,
  loadImages,
  changeDockerSettings,
  startEngines,
  migrateDatabase,
  makeAccount,
  startControlPlane,
  startEdge,
  startRunner,
  trySandbox,
];

export async function up(installation: Installation, given: UpFlags, logger: Logger): Promise<void> {
  const earlier = earlierChoices(installation);
  const flags = UpFlags.parse(await askForMissing(given, earlier));
  const context: UpContext = {
    ...installation,
    logger,
    choices: decideChoices(flags, earlier, await primaryAddress()),
    release: await thisRelease(),
    imagesFolder: absolute(flags.images),
    controlImage: absolute(flags.controlImage),
    archive: absolute(flags.archive),
    acmeRoot: absolute(flags.acmeRoot),
    wildcard:
      flags.wildcardCert === undefined || flags.wildcardKey === undefined
        ? undefined
        : { certificate: flags.wildcardCert, key: flags.wildcardKey },
    agree: (question) => agree(question, flags),
  };
  await runSteps(steps, context, { print: installation.print, now: () => performance.now() });
  await report(context);
}

/** The choices of an earlier run. */
function earlierChoices(installation: Installation): Choices | undefined {
  return installation.record() === undefined ? undefined : requireDeployment(installation).choices;
}

const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));
