import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb } from '@berth/contract/node';
import { callDocker } from '../../../engines/docker-api.ts';
import { demultiplexed } from '../../harness/docker-output.ts';

export type ContainerWish = {
  image: string;
  runtime: string;
  command?: readonly string[];
  user?: string;
  memoryMb?: number;
  pids?: number;
  network?: string;
};

export type Ended = { exitCode: number; outOfMemory: boolean; output: string };

export async function startContainer(url: string, wish: ContainerWish): Promise<string> {
  const json = {
    Image: wish.image,
    Cmd: wish.command,
    User: wish.user,
    HostConfig: {
      Runtime: wish.runtime,
      // Docker's own default where the caller names no network.
      NetworkMode: wish.network ?? 'default',
      Memory: (wish.memoryMb ?? 0) * bytesPerMb,
      MemorySwap: (wish.memoryMb ?? 0) * bytesPerMb,
      PidsLimit: wish.pids ?? null,
      CapDrop: ['ALL'],
    },
  };
  const { Id } = await inspect(url, 'POST /containers/create', json);
  await callDocker(url, `POST /containers/${Id}/start`);
  return Id;
}

/** Runs a container to its end and removes it. */
export async function runContainer(url: string, wish: ContainerWish): Promise<Ended> {
  const id = await startContainer(url, wish);
  const { StatusCode } = await inspect(url, `POST /containers/${id}/wait`);
  const { State } = await inspect(url, `GET /containers/${id}/json`);
  const logs = await callDocker(url, `GET /containers/${id}/logs?stdout=1&stderr=1`);
  await callDocker(url, `DELETE /containers/${id}`);
  return { exitCode: StatusCode, outOfMemory: State.OOMKilled, output: demultiplexed(logs.body) };
}

export async function inspect(url: string, call: string, json?: unknown) {
  const { body } = await callDocker(url, call, json === undefined ? {} : { json });
  return JSON.parse(body.toString());
}

/** Address of a container on a bridge of this test; the machine reaches it directly. */
export async function addressOf(url: string, id: string, network: string): Promise<string> {
  const { NetworkSettings } = await inspect(url, `GET /containers/${id}/json`);
  return NetworkSettings.Networks[network].IPAddress;
}

export async function answer(address: string): Promise<string> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      return await (await fetch(address, { signal: AbortSignal.timeout(2_000) })).text();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(25);
    }
  }
}
