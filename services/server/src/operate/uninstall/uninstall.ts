// Removes an installation, also a half-finished one: each step looks for what is there. The operator's Docker Engine, images that were
// there before and the data stay.
import type { Logger } from '@berth/telemetry';
import { installationName } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';
import { Fault } from '../machine/fault.ts';
import type { RunProgram } from '../machine/run-program.ts';
import { runSteps, type Step } from '../steps/run-steps.ts';
import { removeData } from './remove-data.ts';
import { removeFiles } from './remove-files.ts';
import { removeImages } from './remove-images.ts';
import { removeInstances } from './remove-instances.ts';
import { removeServices } from './remove-services.ts';
import { restoreDockerSettings } from './restore-docker-settings.ts';
import { stopRunner } from './stop-runner.ts';
import type { UninstallContext } from './uninstall-context.ts';

const steps: readonly Step<UninstallContext>[] = [
  stopRunner,
  removeInstances,
  removeServices,
  removeImages,
  restoreDockerSettings,
  removeData,
  // Last: the program that runs is one of them.
  removeFiles,
];

const ofDocker: readonly Step<UninstallContext>[] = [
  removeInstances,
  removeServices,
  removeImages,
  restoreDockerSettings,
];

export async function uninstall(
  installation: Installation,
  { deleteData, logger }: { readonly deleteData: string | undefined; readonly logger: Logger },
): Promise<void> {
  const { print, places, record } = installation;
  const known = record();
  requireName(deleteData, known && installationName(known));
  const deletesData = deleteData !== undefined;
  const isWithDocker = await hasDocker(installation.run);
  const possible = steps.filter((step) => isWithDocker || !ofDocker.includes(step));
  await runSteps(possible, { ...installation, logger, deletesData }, { print, now: () => performance.now() });
  if (known?.kind === 'runner')
    print(
      `The deployment keeps this machine in its list until, on the first machine: berth-server remove-runner --name ${known.choices.name}`,
    );
  if (deletesData) return;
  print(
    `The data is kept in ${places.data}, its settings and keys in ${places.configuration}: the next installation uses both.`,
  );
}

/** False where Docker is not installed: then nothing of the installation can be in it. */
async function hasDocker(run: RunProgram): Promise<boolean> {
  try {
    await run('docker', ['version'], { timeoutSeconds: 30 });
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return false;
    throw new Fault('Docker does not answer, so its containers cannot be removed.', 'systemctl start docker', {
      cause,
    });
  }
}

/** Without a record there is no name to compare with, and the engines' data may still be that of an earlier installation. */
function requireName(given: string | undefined, name: string | undefined): void {
  if (given === undefined || given === name) return;
  if (name === undefined)
    throw new Fault(
      'There is no record of an installation, so no data is deleted.',
      'berth-server uninstall && rm -r /var/lib/berth /etc/berth',
    );
  throw new Fault(
    `This installation is ${name}, not ${given}. Nothing was removed.`,
    `berth-server uninstall --delete-data ${name}`,
  );
}
