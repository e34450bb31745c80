// A Docker Engine with the base image and the guest's runtime, on which guest and bare server run alike.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { bytesPerMb, guestPort } from '@berth/contract/guest';
import { z } from 'zod';
import { importBaseImage } from '../../engines/base-image.ts';
import { docker } from '../../engines/docker.ts';
import { callDocker } from '../../engines/docker-api.ts';
import { buildGuest } from '../../engines/guest/runtime.ts';
import { runFolder } from '../../engines/run.ts';

const networkName = 'guest-bench';
const memoryMb = 1_024;
const mountedAt = '/.berth';
// Both servers listen on every address, as a sandbox must: the machine cannot reach the container's loopback.
const bareServer = `require("node:http").createServer((_, r) => r.end("{}")).listen(${guestPort}, "::")`;

const commands = {
  bare: { Entrypoint: [`${mountedAt}/node`, '-e', bareServer], Env: [`LD_LIBRARY_PATH=${mountedAt}/lib`] },
  guest: { Entrypoint: [`${mountedAt}/init`], Env: [] },
} as const;

const Created = z.object({ Id: z.string() });
const Inspected = z.object({
  State: z.object({ Pid: z.int() }),
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
});

export type GuestHost = AsyncDisposable & {
  url: string;
  create(runtime: 'runc' | 'runsc', what: keyof typeof commands): Promise<string>;
  /** Resolves at the first 200 of a started container, with the machine's pid of its first process. */
  firstAnswer(id: string): Promise<number>;
};

export async function openGuestHost(): Promise<GuestHost> {
  const dataFolder = await mkdtemp(join(await runFolder(), `${docker.name}-`));
  const runtimeFolder = await buildGuest();
  const { url } = await docker.start({ dataFolder });
  const [image = ''] = await importBaseImage(url);
  await callDocker(url, 'POST /networks/create', {
    json: { Name: networkName, Driver: 'bridge', CheckDuplicate: true },
  });
  return {
    url,
    async create(runtime, what) {
      const json = {
        Image: image,
        ...commands[what],
        HostConfig: {
          Runtime: runtime,
          NetworkMode: networkName,
          Memory: memoryMb * bytesPerMb,
          Binds: [`${runtimeFolder}:${mountedAt}:ro`],
        },
      };
      return Created.parse(JSON.parse((await callDocker(url, 'POST /containers/create', { json })).body.toString())).Id;
    },
    async firstAnswer(id) {
      const { body } = await callDocker(url, `GET /containers/${id}/json`);
      const { State, NetworkSettings } = Inspected.parse(JSON.parse(body.toString()));
      const address = NetworkSettings.Networks[networkName]?.IPAddress ?? '';
      const deadline = performance.now() + 20_000;
      while (performance.now() < deadline) if (await answers(address)) return State.Pid;
      throw new Error('The container did not answer within 20 seconds.');
    },
    async [Symbol.asyncDispose]() {
      await docker.stop(dataFolder);
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}

function answers(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host, port: guestPort, path: '/health', agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    });
    asked.once('error', () => setTimeout(resolve, 1, false));
    asked.end();
  });
}
