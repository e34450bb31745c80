// Checks whether this machine can run containers for `pnpm dev`, and names what is missing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import { docker } from '../../engines/docker.ts';
import { buildGuest } from '../../engines/guest/runtime.ts';
import { installedRunsc } from '../../engines/gvisor.ts';
import { persistentFolder, up } from '../../engines/persistent-engines.ts';
import { importTinyImage } from '../../engines/tiny-image.ts';

export type DevelopmentRunner = {
  /** Server roles that can run here. */
  roles: string;
  env: Readonly<Record<string, string>>;
  /** Lines for the developer. */
  lines: readonly string[];
};

type RunCommand = (args: readonly string[]) => Promise<string>;

const programs = ['/usr/sbin/dockerd', '/usr/bin/dockerd'];
const filters = ['/usr/sbin/nft', '/sbin/nft'];

export async function prepareRunner(runCommand: RunCommand): Promise<DevelopmentRunner> {
  const missing = whatIsMissing();
  if (missing !== undefined) {
    return { roles: 'api,orchestrator,gateway', env: {}, lines: [`  runner    none: ${missing}`] };
  }
  const dockerUrl = await up(docker);
  const tiny = await importTinyImage(dockerUrl);
  const token = await runCommand(['create-join-token', '--expires-in', '10m']);
  const nodePort = environment.BERTH_API_NODE_PORT ?? '8081';
  const hasGvisor = (await installedRunsc()) !== undefined;
  const isolation = hasGvisor
    ? 'runc and gVisor'
    : 'runc alone, so sandboxes share this kernel (placement.runcFor: everything); `pnpm engines install gvisor` adds gVisor, then `pnpm engines down docker`';
  const stateFolder = join(await persistentFolder('server'), 'runner');
  return {
    roles: 'all',
    env: {
      BERTH_RUNNER_API_URL: `https://127.0.0.1:${nodePort}`,
      // Only the first start uses the token; afterwards the runner has a certificate, kept beside the keys of this
      // database.
      BERTH_RUNNER_JOIN_TOKEN: token.trim(),
      BERTH_RUNNER_STATE_FOLDER: stateFolder,
      BERTH_GATEWAY_LOCAL_RUNNER: join(stateFolder, 'ingress.sock'),
      BERTH_RUNNER_NAME: 'development',
      BERTH_RUNNER_DOCKER_URL: dockerUrl,
      // Built above; no registry has this image.
      BERTH_RUNNER_SHARED_IMAGES: JSON.stringify([tiny]),
      BERTH_RUNNER_GUEST_FOLDER: await buildGuest(),
      // On this machine only the developer's own code runs.
      ...(hasGvisor ? {} : { BERTH_PLACEMENT_RUNC_FOR: environment.BERTH_PLACEMENT_RUNC_FOR ?? 'everything' }),
    },
    lines: [`  docker    ${dockerUrl} (${isolation})`],
  };
}

function whatIsMissing(): string | undefined {
  if (!programs.some((path) => existsSync(path)))
    return 'Docker Engine is not installed. On Debian: apt-get install docker.io nftables, then start again.';
  if (!filters.some((path) => existsSync(path)))
    return 'nftables is not installed, which keeps containers apart. On Debian: apt-get install nftables, then start again.';
  if (process.getuid?.() !== 0)
    return 'containers and their networks need root. Start again as root, or go on without.';
  return undefined;
}
