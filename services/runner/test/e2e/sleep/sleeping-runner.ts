// The part of a runner that puts sandboxes to sleep, without an api: real guests in real containers, the keeper, the
// local socket, and a gateway's side of it.
import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { SandboxSettings } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { Leases } from '@berth/wire';
import { startGuestContainer } from '../../../../../tests/harness/guest-container.ts';
import type { IsolationUnderTest } from '../../../../../tests/harness/workloads.ts';
import { createDockerDriver } from '../../../src/driver/docker-driver.ts';
import type { Admission } from '../../../src/ingress/endpoint.ts';
import { InstanceLeases } from '../../../src/ingress/instance-leases.ts';
import { startLeaseListener } from '../../../src/ingress/lease-listener.ts';
import { WaitingRoom } from '../../../src/ingress/waiting-room.ts';
import { openControlKey } from '../../../src/sandbox/control-key.ts';
import { GuestControl } from '../../../src/sandbox/guest-control.ts';
import { createFreezer } from '../../../src/sleep/create-freezer.ts';
import { createSleepManager } from '../../../src/sleep/create-sleep-manager.ts';
import type { Freezer } from '../../../src/sleep/freezer.ts';
import { LastUseFiles } from '../../../src/sleep/last-use-files.ts';
import type { RunningSandbox } from '../../../src/sleep/running-sandbox.ts';
import { type SandboxActivity, type SleepManager, sandboxLeaseKeepMs } from '../../../src/sleep/sleep-manager.ts';

export interface SleepOptions {
  readonly dockerUrl: string;
  readonly stateFolder: string;
  readonly wakeReserveMb?: number;
  /** Free memory of the machine, for tests that need it to be short. */
  readonly freeMemoryMb?: () => number;
  readonly leaseKeepMs?: number;
}

interface HeardNews extends SandboxActivity {
  readonly instance: string;
}

/** Starts the part of a runner that handles sleep. */
export async function startSleepingRunner(options: SleepOptions) {
  const { dockerUrl, stateFolder, wakeReserveMb = 0, freeMemoryMb = () => 1e6 } = options;
  const logger = createLogger({ role: 'runner' }, { level: 'error', destination: process.stderr });
  const driver = createDockerDriver({ dockerUrl });
  const guest = new GuestControl(await openControlKey(stateFolder), 3_000);
  const places = new Map<string, RunningSandbox>();
  const news: HeardNews[] = [];
  const counts = { freeze: 0, thaw: 0, look: 0 };
  const real = createFreezer(driver);
  const freezer: Freezer = {
    freeze: (container) => {
      counts.freeze += 1;
      return real.freeze(container);
    },
    thaw: (container) => {
      counts.thaw += 1;
      return real.thaw(container);
    },
    isFrozen: (container) => {
      counts.look += 1;
      return real.isFrozen(container);
    },
  };
  const leases = new InstanceLeases({ drainSeconds: 5, leaveSeconds: 5 });
  /** Instances whose guests were asked to agree to sleep, in order. */
  const asked: string[] = [];
  const quiesce: GuestControl['quiesce'] = (place) => {
    asked.push(place.instance);
    return guest.quiesce(place);
  };
  const keeper: SleepManager = createSleepManager({
    ...{ freezer, guest: { quiesce }, wakeReserveMb, freeMemoryMb, logger },
    lastUse: new LastUseFiles(stateFolder),
    recall: (instance) => leases.recall(instance),
    onActivity: (instance, heard) => void news.push({ instance, ...heard }),
    onWake: () => {},
  });
  leases.watch((instance, count) => keeper.onLeases(instance, count));
  const open = async (instance: string): Promise<Admission> => {
    const place = places.get(instance);
    const opened = await keeper.open(instance);
    if (opened.is !== 'open' || place === undefined) return opened.is === 'open' ? { is: 'unknown' } : opened;
    return { is: 'open', endpoint: place, keepMs: options.leaseKeepMs ?? sandboxLeaseKeepMs };
  };
  const socketPath = join(stateFolder, 'ingress.sock');
  const waitingRoom = new WaitingRoom();
  const closeLeases = await startLeaseListener(socketPath, {
    ...{ instances: { open }, leases, waitingRoom, logger },
    calls: {
      adopt: async () => ({ call: 'unknown' }),
      wake: ({ instance }) => keeper.wake(instance),
      sleep: ({ instance }) => keeper.sleep(instance),
    },
  });
  return {
    ...{ driver, guest, keeper, leases, news, counts, asked, freezer: real, socketPath },
    keep(sandbox: RunningSandbox): void {
      places.set(sandbox.instance, sandbox);
      keeper.manage(sandbox);
    },
    async [Symbol.asyncDispose]() {
      closeLeases();
      await leases.close(0);
      await keeper.close();
    },
  };
}

/** Starts a guest as the runner does: with the variables by which it authenticates this runner. */
export async function startSandbox(
  { dockerUrl, image, stateFolder }: { dockerUrl: string; image: string; stateFolder: string },
  { isolation, runtime }: IsolationUnderTest,
  settings: SandboxSettings,
): Promise<AsyncDisposable & { readonly sandbox: RunningSandbox }> {
  const instance = randomUUID();
  const guest = new GuestControl(await openControlKey(stateFolder));
  const container = await startGuestContainer(dockerUrl, { image, runtime, variables: guest.variablesOf(instance) });
  const { hostname, port } = new URL(container.url);
  const { id: containerId, pid } = container;
  const sandbox = { instance, containerId, pid, address: hostname, port: Number(port), isolation, settings };
  return {
    sandbox,
    async [Symbol.asyncDispose]() {
      const driver = createDockerDriver({ dockerUrl });
      await createFreezer(driver).thaw(sandbox);
      // The test may already have removed the container.
      await driver.remove(containerId);
    },
  };
}

/** A gateway on the same machine. */
export function startGateway(socketPath: string) {
  const leases = new Leases({ socketPath, answerMs: 60_000, keepMs: 30_000 });
  /** Resolves with the head of the answer; the body follows. */
  async function open(instance: string, method: string, path: string, body?: unknown, port?: number) {
    const lease = await leases.on(instance);
    if (lease === undefined || lease.isOver) throw new Error('no lease');
    const end = lease.use();
    return new Promise<IncomingMessage>((resolve, reject) => {
      const asked = httpRequest({
        host: lease.endpoint.host,
        port: port ?? lease.endpoint.port,
        ...{ method, path, agent: false },
        headers: body === undefined ? {} : { 'content-type': 'application/json' },
      });
      asked.once('close', end).once('error', reject).once('response', resolve);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
  return {
    open,
    async call(instance: string, method: string, path: string, body?: unknown, port?: number): Promise<string> {
      const response = await open(instance, method, path, body, port);
      const said = await text(response);
      if ((response.statusCode ?? 500) >= 400)
        throw new Error(`${method} ${path} answered ${response.statusCode}: ${said}`);
      return said;
    },
    close: () => leases.close(),
  };
}
export type Gateway = ReturnType<typeof startGateway>;
