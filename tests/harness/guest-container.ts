// Runs the guest as a sandbox does: as the first process of a container, with few capabilities and no way to gain
// others.
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb, guestPort } from '@berth/contract/guest';
import { callDocker } from '../../engines/docker-api.ts';
import { buildGuest } from '../../engines/guest/runtime.ts';
import { demultiplexed } from './docker-output.ts';

export type GuestContainerOptions = {
  image: string;
  runtime: 'runc' | 'runsc';
  memoryMb?: number;
  pids?: number;
  user?: string;
  variables?: Readonly<Record<string, string>>;
  args?: readonly string[];
  workingDirectory?: string;
  /** Replaces the helper by a program that the guest is measured against. */
  entrypoint?: readonly string[];
  readOnly?: boolean;
  /** Replaces the built guest: the helper starts the main.js of this folder. */
  guestFolder?: string;
  /** Resolves at once, even if nothing answers: for a helper that should refuse its settings. */
  withoutWaiting?: boolean;
};

export type GuestContainer = AsyncDisposable & {
  id: string;
  /** URL of the container on its bridge; the machine reaches it directly. */
  url: string;
  /** Id of process 1 in the machine's namespace. */
  pid: number;
  cgroup: string;
  /** Time from the request to start it to the first answer. */
  startedInMs: number;
  output(): Promise<string>;
  /** Waits for the end of the container; returns the exit code of process 1. */
  ended(): Promise<number>;
  stop(): Promise<void>;
};

const networkName = 'guests';
export const guestCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID', 'KILL', 'NET_BIND_SERVICE'];

/** One network for all guests of an engine, created with the first of them. */
const networks = new Map<string, Promise<unknown>>();

export async function startGuestContainer(dockerUrl: string, options: GuestContainerOptions): Promise<GuestContainer> {
  const runtimeFolder = await buildGuest();
  await networkOf(dockerUrl);
  const memory = (options.memoryMb ?? 512) * bytesPerMb;
  const { Id: id } = await json(dockerUrl, 'POST /containers/create', {
    Image: options.image,
    User: options.user ?? '',
    Entrypoint: options.entrypoint ?? ['/.berth/init'],
    Cmd: options.args ?? [],
    Env: Object.entries(options.variables ?? {}).map(([name, value]) => `${name}=${value}`),
    WorkingDir: options.workingDirectory ?? '',
    HostConfig: {
      Runtime: options.runtime,
      NetworkMode: networkName,
      Memory: memory,
      MemorySwap: memory,
      PidsLimit: options.pids ?? 512,
      CapDrop: ['ALL'],
      CapAdd: guestCapabilities,
      SecurityOpt: ['no-new-privileges'],
      ReadonlyRootfs: options.readOnly ?? false,
      Mounts: [
        { Type: 'bind', Source: runtimeFolder, Target: '/.berth', ReadOnly: true },
        ...(options.guestFolder === undefined
          ? []
          : [{ Type: 'bind', Source: options.guestFolder, Target: '/.berth/guest', ReadOnly: true }]),
      ],
    },
  });
  const askedAt = performance.now();
  await callDocker(dockerUrl, `POST /containers/${id}/start`);
  const { State, NetworkSettings, HostConfig } = await json(dockerUrl, `GET /containers/${id}/json`);
  const container: GuestContainer = {
    id,
    url: `http://${NetworkSettings.Networks[networkName].IPAddress}:${guestPort}`,
    pid: State.Pid,
    cgroup: `${HostConfig.CgroupParent || ''}/${id}`,
    startedInMs: 0,
    async output() {
      const { body } = await callDocker(dockerUrl, `GET /containers/${id}/logs?stdout=1&stderr=1`);
      return demultiplexed(body);
    },
    async ended() {
      return (await json(dockerUrl, `POST /containers/${id}/wait`)).StatusCode;
    },
    async stop() {
      await callDocker(dockerUrl, `POST /containers/${id}/stop?t=45`);
    },
    async [Symbol.asyncDispose]() {
      await callDocker(dockerUrl, `DELETE /containers/${id}?force=1`);
    },
  };
  if (!options.withoutWaiting) await untilAnswered(dockerUrl, container);
  container.startedInMs = performance.now() - askedAt;
  return container;
}

function networkOf(dockerUrl: string): Promise<unknown> {
  const made =
    networks.get(dockerUrl) ?? json(dockerUrl, 'POST /networks/create', { Name: networkName, Driver: 'bridge' });
  networks.set(dockerUrl, made);
  return made;
}

async function untilAnswered(dockerUrl: string, container: GuestContainer): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await (await fetch(`${container.url}/health`, { signal: AbortSignal.timeout(30_000) })).arrayBuffer();
      return;
    } catch (error) {
      const { State } = await json(dockerUrl, `GET /containers/${container.id}/json`);
      if (!State.Running || Date.now() > deadline) {
        const output = await container.output();
        await container[Symbol.asyncDispose]();
        throw new Error(`The guest does not answer:\n${output}`, { cause: error });
      }
      await sleep(10);
    }
  }
}

async function json(dockerUrl: string, call: string, body?: unknown) {
  const answer = await callDocker(dockerUrl, call, body === undefined ? {} : { json: body });
  return JSON.parse(answer.body.toString());
}
