// Prepares this machine to run containers for `pnpm dev`, and names what is missing.
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import { docker } from '../../engines/docker.ts';
import { callDocker } from '../../engines/docker-api.ts';
import { buildGuest, guestRuntime } from '../../engines/guest/runtime.ts';
import { gvisor } from '../../engines/gvisor.ts';
import { down, persistentFolder, up } from '../../engines/persistent-engines.ts';
import { importSandboxImage, sandboxImage } from '../../engines/sandbox-image.ts';
import { importTinyImage, tinyImage } from '../../engines/tiny-image.ts';
import { gatewayForTasks } from './gateway-for-tasks.ts';
import { optional, required, tryInstall } from './parts.ts';
import { unlessSet } from './run-command.ts';

export type DevelopmentRunner = {
  /** Server roles that can run here. */
  roles: string;
  env: Readonly<Record<string, string>>;
  /** Lines for the developer. */
  lines: readonly string[];
};

type RunCommand = (args: readonly string[]) => Promise<string>;

const rolesWithoutRunner = 'api,orchestrator,gateway';
const needsRoot = '  runner    none: containers and their networks need root. Start again as root, or go on without.';
/** Sandboxes that wait for a create, so that it waits for no container to start. */
const warmCount = 2;

export async function prepareRunner(runCommand: RunCommand): Promise<DevelopmentRunner> {
  if (process.getuid?.() !== 0) return { roles: rolesWithoutRunner, env: {}, lines: [needsRoot] };
  for (const part of required) {
    const line = await tryInstall(part);
    if (line !== undefined) return { roles: rolesWithoutRunner, env: {}, lines: [line] };
  }
  const missing = new Map<string, string>();
  for (const part of optional) {
    const line = await tryInstall(part);
    if (line !== undefined) missing.set(part.installable.name, line);
  }
  const has = ({ name }: { name: string }): boolean => !missing.has(name);

  const dockerUrl = await startDocker(has(gvisor));
  const image = has(sandboxImage) ? await importSandboxImage(dockerUrl) : undefined;
  const tiny = has(tinyImage) ? await importTinyImage(dockerUrl) : undefined;
  const token = await runCommand(['create-join-token', '--expires-in', '10m']);
  const nodePort = environment.BERTH_API_NODE_PORT ?? '8081';
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
      // Built here; no registry has these images.
      BERTH_RUNNER_SHARED_IMAGES: JSON.stringify([image, tiny].filter((name) => name !== undefined)),
      ...(has(guestRuntime) && { BERTH_RUNNER_GUEST_FOLDER: await buildGuest() }),
      ...(image !== undefined &&
        has(guestRuntime) &&
        unlessSet({
          BERTH_PLACEMENT_SANDBOXES_DEFAULT_IMAGE: image,
          BERTH_RUNNER_WARM: JSON.stringify([{ image, count: warmCount }]),
        })),
      ...unlessSet(
        gatewayForTasks({
          subnet: environment.BERTH_RUNNER_SUBNET ?? '100.96.0.0/16',
          port: Number(environment.BERTH_GATEWAY_PORT ?? '8090'),
          workloadDomain: environment.BERTH_API_WORKLOAD_DOMAIN ?? 'localhost',
        }),
      ),
      // On this machine only the developer's own code runs.
      ...(!has(gvisor) && unlessSet({ BERTH_PLACEMENT_RUNC_FOR: 'everything' })),
    },
    lines: [`  docker    ${dockerUrl} (${has(gvisor) ? 'runc and gVisor' : 'runc'})`, ...missing.values()],
  };
}

/** Restarts an engine that was up before gVisor was installed: it reads its runtimes when it starts. */
async function startDocker(withGvisor: boolean): Promise<string> {
  const url = await up(docker);
  if (!withGvisor || (await callDocker(url, 'GET /info')).body.includes('"runsc"')) return url;
  await down(docker);
  return up(docker);
}
