// A separate machine for the runner's network, wired to an outside: two network namespaces, an engine in the first,
// listeners in both. The machine itself reaches everything, so an address that an instance does not reach was refused.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importBaseImage } from '../../../../../engines/base-image.ts';
import { callDocker } from '../../../../../engines/docker-api.ts';
import { runName } from '../../../../../engines/run.ts';
import { startTestDocker, type TestDocker } from '../../../../../engines/test-docker.ts';
import { execute } from '../../../../../tests/harness/execute.ts';
import { Listener } from '../../../../../tests/harness/listener.ts';
import { openShell, type RunCommand } from '../../../src/machine/command.ts';

export const probeImage = 'berth-probe:latest';
const imageFolder = join(import.meta.dirname, 'image');
const serveProgram = fileURLToPath(new URL('./image/serve.mjs', import.meta.url));
const probeProgram = fileURLToPath(new URL('./image/probe.mjs', import.meta.url));

/** Addresses of the outside. The first two are ordinary hosts of the internet. */
export const outsideAddresses = {
  router: '11.0.0.2',
  host: '12.34.56.78',
  resolver: '10.53.0.53',
  gateway: '10.9.9.9',
  /** Public addresses of the operator: one in a denied range, and the api's. */
  operator: ['12.99.1.7', '12.88.0.9'],
  closed: ['10.1.2.3', '100.70.0.1', '169.254.169.254', '172.20.0.9', '192.168.7.7', '198.18.0.5'],
};
export const machineAddress = '11.0.0.1';

export interface Lab extends AsyncDisposable {
  docker: TestDocker;
  /** Runs a program on the lab's machine. */
  run: RunCommand;
  /** The targets, `tcp|udp:<address>:<port>`, that the machine itself reaches. */
  probe(targets: readonly string[]): Promise<string[]>;
  /** The targets that a container reaches. */
  probeFrom(container: string, targets: readonly string[]): Promise<string[]>;
  /** Output of a program in a container, as lines. */
  execute(container: string, command: readonly string[]): Promise<string[]>;
  /** Starts listeners on the machine that answer on TCP and UDP. */
  serve(ports: readonly number[]): Promise<void>;
}

export async function startLab(): Promise<Lab> {
  await using building = new AsyncDisposableStack();
  const [machine, outside] = [runName('machine'), runName('outside')];
  for (const namespace of [machine, outside]) {
    execFileSync('ip', ['netns', 'add', namespace]);
    building.defer(() => void execFileSync('ip', ['netns', 'delete', namespace]));
  }
  wire(machine, outside);
  const run = openShell(['nsenter', `--net=/run/netns/${machine}`, '--']);
  const serve = async (stack: AsyncDisposableStack, namespace: string, ports: readonly number[]) => {
    stack.use(await Listener.start(serveProgram, ports, `/run/netns/${namespace}`));
  };
  await serve(building, outside, [25, 53, 8080, 9000]);
  const docker = building.use(await startTestDocker({ netns: `/run/netns/${machine}` }));
  const [base = ''] = await importBaseImage(docker.url);
  await buildProbeImage(docker.url, base);
  const built = building.move();
  return {
    docker,
    run,
    serve: (ports) => serve(built, machine, ports),
    probe: async (targets) => lines(await run(process.execPath, [probeProgram, ...targets])).sort(),
    probeFrom: async (container, targets) =>
      (await execute(docker.url, container, ['node', '/probe.mjs', ...targets])).sort(),
    execute: (container, command) => execute(docker.url, container, command),
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  };
}

function wire(machine: string, outside: string): void {
  const ip = (...words: string[]) => execFileSync('ip', words);
  for (const namespace of [machine, outside]) ip('-n', namespace, 'link', 'set', 'lo', 'up');
  ip('-n', machine, 'link', 'add', 'uplink', 'type', 'veth', 'peer', 'name', 'downlink', 'netns', outside);
  ip('-n', machine, 'address', 'add', `${machineAddress}/24`, 'dev', 'uplink');
  ip('-n', outside, 'address', 'add', `${outsideAddresses.router}/24`, 'dev', 'downlink');
  ip('-n', machine, 'link', 'set', 'uplink', 'up');
  ip('-n', outside, 'link', 'set', 'downlink', 'up');
  ip('-n', machine, 'route', 'add', 'default', 'via', outsideAddresses.router);
  for (const address of [
    outsideAddresses.host,
    outsideAddresses.resolver,
    outsideAddresses.gateway,
    ...outsideAddresses.operator,
    ...outsideAddresses.closed,
  ]) {
    ip('-n', outside, 'address', 'add', `${address}/32`, 'dev', 'lo');
  }
}

async function buildProbeImage(url: string, base: string): Promise<void> {
  const body = execFileSync('tar', ['--create', '--directory', imageFolder, '.']);
  const query = new URLSearchParams({ t: probeImage, buildargs: JSON.stringify({ BASE: base }) });
  await callDocker(url, `POST /build?${query}`, { body, headers: { 'content-type': 'application/x-tar' } });
}

const lines = (text: string): string[] => text.split(/\r?\n/).filter(Boolean);
