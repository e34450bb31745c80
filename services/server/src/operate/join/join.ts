// From a machine with Docker to a runner that its deployment lists as up. Every step looks first, so the same command continues after a
// failure; once the machine has joined, `berth-server join` alone does.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from '@berth/telemetry';
import { lookAtRunner } from '../checks/look.ts';
import { installationName } from '../install/install-record.ts';
import type { Installation } from '../install/installation.ts';
import { primaryAddress } from '../install/primary-address.ts';
import { thisRelease } from '../install/this-release.ts';
import { Fault } from '../machine/fault.ts';
import { runSteps, type Step } from '../steps/run-steps.ts';
import { agree } from '../up/ask.ts';
import { changeDockerSettings } from '../up/change-docker-settings.ts';
import { requireReady } from '../up/check-before.ts';
import { linkRelease } from '../up/link-release.ts';
import { loadImages } from '../up/load-images.ts';
import { startRunner } from '../up/start-runner.ts';
import type { JoinContext } from './join-context.ts';
import { joinDeployment } from './join-deployment.ts';
import { decideRunnerChoices, type JoinFlags } from './join-flags.ts';
import { writeRunnerSettings } from './write-runner-settings.ts';

const checkRunnerBefore: Step<JoinContext> = {
  name: 'checks',
  async run(context) {
    const isInstalled = existsSync(context.places.runnerUnit);
    return requireReady(context, await lookAtRunner({ ...context, isInstalled }, 'before'));
  },
};

const steps: readonly Step<JoinContext>[] = [
  checkRunnerBefore,
  linkRelease,
  writeRunnerSettings,
  loadImages,
  changeDockerSettings,
  joinDeployment,
  // Ready only while it is connected to the api, which then lists it as up.
  startRunner,
];

export async function joinMachine(installation: Installation, flags: JoinFlags, logger: Logger): Promise<void> {
  const known = installation.record();
  if (known?.kind === 'deployment')
    throw new Fault(
      'This is the first machine of a deployment, which has a runner of its own.',
      `run the line on another machine; or remove the deployment with all its data: berth-server uninstall --delete-data ${installationName(known)}`,
    );
  if (
    known !== undefined &&
    existsSync(installation.places.runnerUnit) &&
    (flags.name ?? known.choices.name) !== known.choices.name
  )
    throw new Fault(
      `This machine has joined as ${known.choices.name}, and a name stays.`,
      'run the same command without --name',
    );
  const found = { address: await primaryAddress(), hostName: hostname() };
  const context: JoinContext = {
    ...installation,
    logger,
    choices: decideRunnerChoices(flags, known?.choices, found),
    release: await thisRelease(),
    imagesFolder: flags.images === undefined ? undefined : resolve(flags.images),
    controlImage: undefined,
    sandboxImage: flags.sandboxImage,
    joinToken: flags.tokenFile === undefined ? undefined : (await readFile(flags.tokenFile, 'utf8')).trim(),
    agree: (question) => agree(question, flags),
  };
  await runSteps(steps, context, { print: installation.print, now: () => performance.now() });
  const { name, address } = context.choices;
  installation.print(`${name} is up. Gateways reach it at ${address}; on the first machine: berth-server list-runners`);
}
