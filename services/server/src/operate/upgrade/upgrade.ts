// Upgrades the installation of this machine to another release, or goes back to the release before. The switch itself is done by the
// program of the release that is to run; this one watches it, and goes back when it fails.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Installation } from '../install/installation.ts';
import { requireDeployment } from '../install/require-record.ts';
import { Fault } from '../machine/fault.ts';
import { holdName } from '../machine/hold-name.ts';
import { runSteps, type Step } from '../steps/run-steps.ts';
import { backUpBefore } from './back-up-before.ts';
import { checkDeployment } from './check-deployment.ts';
import { moveRelease } from './move-release.ts';
import { isContinued, planUpgrade, planWayBack } from './plan-move.ts';
import { releaseArchive } from './release-archive.ts';
import { switchName } from './switch-release.ts';
import { unpackRelease } from './unpack-release.ts';
import type { UpgradeContext } from './upgrade-context.ts';
import { verifyArchive } from './verify-archive.ts';

const steps: readonly Step<UpgradeContext>[] = [verifyArchive, checkDeployment, backUpBefore, unpackRelease];

export interface UpgradeWish {
  readonly archive: string;
  readonly key: string | undefined;
  /** Folder with images of the new release, for a machine without the internet. */
  readonly images: string | undefined;
}

export async function upgrade(installation: Installation, { archive: path, key, images }: UpgradeWish): Promise<void> {
  await using _ = await holdAlone();
  const archive = releaseArchive(path);
  const record = requireDeployment(installation);
  const move = planUpgrade(record, archive.version);
  const context = { ...installation, archive, key, move, isContinued: isContinued(record, move) };
  installation.print(`from ${move.from} to ${move.to}`);
  await runSteps(steps, context, { print: installation.print, now: () => performance.now() });
  const flags = { archive: archive.file, 'control-image': archive.image, images: images && resolve(images) };
  await moveRelease(installation, move, flags);
}

export async function goBack(installation: Installation): Promise<void> {
  await using _ = await holdAlone();
  const move = planWayBack(requireDeployment(installation));
  const folder = join(installation.places.releases, move.to);
  if (!existsSync(join(folder, 'release.json')))
    throw new Fault(
      `The release ${move.to} is not on this machine any more: there is no ${folder}.`,
      `sh install.sh --from berth-${move.to}-linux-x64.tar.gz`,
    );
  installation.print(`from ${move.from} back to ${move.to}`);
  await moveRelease(installation, move, {});
}

/** A command that was killed may have left the switch that it started. */
async function holdAlone(): Promise<AsyncDisposable> {
  const own = await holdName('berth-upgrade');
  const theirs = await holdName(switchName);
  await theirs[Symbol.asyncDispose]();
  return own;
}
