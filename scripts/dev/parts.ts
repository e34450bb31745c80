// Parts of a machine that runs containers for `pnpm dev`. Each start installs those that are missing.
import { docker } from '../../engines/docker.ts';
import type { Installable } from '../../engines/engine.ts';
import { guestRuntime } from '../../engines/guest/runtime.ts';
import { gvisor, installedRunsc } from '../../engines/gvisor.ts';
import { networkTools } from '../../engines/network-tools.ts';
import { isSandboxImageMade, sandboxImage } from '../../engines/sandbox-image.ts';
import { tinyImage } from '../../engines/tiny-image.ts';

type Part = {
  installable: Installable;
  /** Effect of its absence, for the developer. */
  without: string;
  /** For parts that take long: shown before the first installation. */
  firstTime?: { isInstalled: () => Promise<boolean>; announcement: string };
};

/** Without these no container runs. */
export const required: readonly Part[] = [
  { installable: docker, without: 'no container runs' },
  { installable: networkTools, without: 'containers cannot be kept apart, so none runs' },
];

export const optional: readonly Part[] = [
  {
    installable: gvisor,
    without: 'sandboxes run on runc and share the kernel of this machine (placement.runcFor: everything)',
    firstTime: {
      isInstalled: async () => (await installedRunsc()) !== undefined,
      announcement: 'built from source, the first time only; this takes some minutes',
    },
  },
  { installable: guestRuntime, without: 'there are no sandboxes' },
  {
    installable: sandboxImage,
    without: 'a sandbox has to name an image',
    firstTime: {
      isInstalled: isSandboxImageMade,
      announcement: 'made from Debian packages, the first time only; this takes up to two minutes and 1 GB of disk',
    },
  },
  { installable: tinyImage, without: 'the image berth-tiny does not exist' },
];

/**
 * Installs a part unless it is there. Returns undefined, or a line that says what is missing and which command installs
 * it.
 */
export async function tryInstall({ installable, without, firstTime }: Part): Promise<string | undefined> {
  const { name } = installable;
  const isLong = firstTime !== undefined && !(await firstTime.isInstalled());
  if (isLong) console.log(`${name}: ${firstTime.announcement}`);
  const startedAt = Date.now();
  try {
    await installable.install();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return `  missing   ${name}: ${without}. Run \`pnpm engines install ${name}\`, then start again.`;
  }
  if (isLong) console.log(`${name}: installed in ${Math.round((Date.now() - startedAt) / 1_000)} s`);
  return undefined;
}
