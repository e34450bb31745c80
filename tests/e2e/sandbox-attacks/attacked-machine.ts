// A deployment with two tenants, sandboxes of both on one machine, and services that no sandbox may reach.
import { execFile, execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guestPort } from '@berth/contract/guest';
import { importBaseImage } from '../../../engines/base-image.ts';
import { callDocker } from '../../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../../engines/fleet/fleet.ts';
import type { Machine } from '../../../engines/fleet/machine.ts';
import { freePort } from '../../../engines/free-port.ts';
import { gvisor } from '../../../engines/gvisor.ts';
import { wireAddresses } from '../../../engines/wire.ts';
import { Listener } from '../../harness/listener.ts';
import { type Placed, type PlacedWish, placeInstance } from '../../harness/placed-instance.ts';
import { pushTinyImage, startRegistry } from '../../harness/registry.ts';

const execute = promisify(execFile);
const imageFolder = join(import.meta.dirname, 'image');
export const image = 'berth-attacks:latest';
const serve = join(imageFolder, 'serve.mjs');
export const diskMb = 600;

export interface AttackedMachine extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly machine: Machine;
  readonly gateway: { readonly address: string; readonly port: number };
  readonly ports: Readonly<Record<'ingress' | 'health' | 'api' | 'node' | 'service', number>>;
  /** Throws unless the services that no sandbox may reach still listen. */
  checkServices(): void;
  /** Image in the first tenant's folder of a registry that asks for a password; the runner has the password. */
  readonly privateImage: { readonly reference: string };
  /** Starts a sandbox of the first or the second tenant. */
  sandbox(
    isolation: 'runc' | 'gvisor',
    tenant: 0 | 1,
    memoryMb?: number,
    wish?: Pick<PlacedWish, 'image' | 'imageSource'>,
  ): Promise<Placed>;
  /** Output of a command inside the sandbox, started as its owner would. */
  run(sandbox: Placed, command: string, seconds?: number): Promise<string>;
  /** Starts a command and does not wait for its end. */
  start(sandbox: Placed, command: string): Promise<void>;
  /** Milliseconds of each of `count` requests to the sandbox's guest, one after the other. */
  latencies(sandbox: Placed, count: number): Promise<number[]>;
}

export async function startAttackedMachine(): Promise<AttackedMachine> {
  await gvisor.install();
  await using made = new AsyncDisposableStack();
  const port = await freePort();
  const [ingress, health, service] = [await freePort(), await freePort(), await freePort()];
  const registry = made.adopt(await startRegistry('attacks'), ({ stop }) => stop());
  const { host, username, password } = registry;
  const fleet = made.use(
    await startFleet({
      name: 'attacks',
      workspaces: ['one', 'two'],
      machines: 1,
      gateways: [{ BERTH_GATEWAY_PORT: String(port), BERTH_GATEWAY_HOST: '0.0.0.0' }],
      engine: { disk: { sizeMb: 6_000, files: 400_000 }, gvisorLayerSize: `${diskMb}m` },
      async prepare({ dockerUrl }) {
        await buildImage(dockerUrl);
        await pushTinyImage(dockerUrl, registry, 'one/secret:1');
      },
      settings: {
        BERTH_RUNNER_DISK_MB: String(diskMb),
        BERTH_RUNNER_DISK_FILES: '50000',
        BERTH_RUNNER_REGISTRIES: JSON.stringify([{ host, username, password }]),
        BERTH_PLACEMENT_IMAGE_REGISTRY: host,
        BERTH_RUNNER_INGRESS_PORT: String(ingress),
        BERTH_HEALTH_PORTS_RUNNER: String(health),
        // These services listen on all addresses, so that a refusal comes from the network.
        BERTH_HEALTH_HOST: '0.0.0.0',
        BERTH_API_HOST: '0.0.0.0',
        BERTH_RUNNER_RESOLVERS: '["9.9.9.9"]',
        BERTH_RUNNER_GATEWAYS: JSON.stringify([{ address: wireAddresses(1)[0], port }]),
      },
    }),
  );
  await fleet.orchestrator.stop();
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error('no machine');
  const services = [
    made.use(await Listener.start(serve, [service])),
    made.use(await Listener.start(serve, [service], machine.netns)),
  ];
  const inNetns = (words: readonly string[]) => execute('nsenter', [`--net=${machine.netns}`, '--', ...words]);
  const call = async (sandbox: Placed, body: unknown, seconds: number): Promise<string> => {
    const json = ['-H', 'content-type: application/json', '-d', JSON.stringify(body)];
    const words = [
      'curl',
      '-sS',
      '--max-time',
      String(seconds),
      ...json,
      `http://${sandbox.address}:${guestPort}/process`,
    ];
    return (await inNetns(words)).stdout;
  };
  const built = made.move();
  return {
    fleet,
    machine,
    gateway: { address: machine.outside, port },
    ports: { ingress, health, service, api: Number(new URL(fleet.url).port), node: machine.nodePort },
    checkServices() {
      for (const each of services) each.check();
    },
    privateImage: { reference: `${host}/one/secret:1` },
    sandbox: (isolation, tenant, memoryMb = 512, wish = {}) =>
      placeInstance(fleet, {
        ...{ workspaceId: fleet.workspaceIds[tenant] ?? '', isolation, image, memoryMb, cpus: 1, isSandbox: true },
        ...wish,
      }),
    async run(sandbox, command, seconds = 60) {
      const answer = JSON.parse(
        await call(sandbox, { command, waitForCompletion: true, timeout: seconds }, seconds + 5),
      );
      return answer.logs ?? JSON.stringify(answer);
    },
    async start(sandbox, command) {
      await call(sandbox, { command }, 20);
    },
    async latencies(sandbox, count) {
      const words = [process.execPath, join(import.meta.dirname, 'measure.mjs'), sandbox.address, String(count)];
      return JSON.parse((await inNetns(words)).stdout);
    },
    [Symbol.asyncDispose]: () => built.disposeAsync(),
  };
}

async function buildImage(dockerUrl: string): Promise<void> {
  const [base = ''] = await importBaseImage(dockerUrl);
  const folder = await mkdtemp(join(tmpdir(), 'berth-attacks-'));
  try {
    await cp(imageFolder, folder, { recursive: true });
    const flags = ['-static', '-std=gnu11', '-Os', '-s'];
    execFileSync('musl-gcc', [...flags, '-o', join(folder, 'attack'), join(imageFolder, 'attack.c')]);
    const body = execFileSync('tar', ['--create', '--directory', folder, '.'], { maxBuffer: 64_000_000 });
    const query = new URLSearchParams({ t: image, buildargs: JSON.stringify({ BASE: base }), networkmode: 'none' });
    await callDocker(dockerUrl, `POST /build?${query}`, { body, headers: { 'content-type': 'application/x-tar' } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
