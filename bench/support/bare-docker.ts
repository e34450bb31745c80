// Starts the tiny image by Docker alone on a machine of the fleet: create, start on a user
// bridge, first accepted connection.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { bytesPerMb } from '@berth/contract/node';
import { z } from 'zod';
import { callDocker } from '../../engines/docker-api.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { timedMs } from './statistics.ts';

export const tinyImage = 'berth-tiny:latest';
export const tinyPort = 8080;

export type BareDocker = Disposable & {
  /** Milliseconds of one start; the container is removed afterwards. */
  bringUp(): Promise<number>;
};

export async function openBareDocker(machine: Machine): Promise<BareDocker> {
  const prober = startProber(machine);
  const network = await createNetwork(machine);
  return { bringUp: () => bringUp(machine, network, prober), [Symbol.dispose]: () => prober.stop() };
}

/** A usual user bridge. Docker's own firewall rules are off on this engine, which only makes it faster. */
async function createNetwork({ dockerUrl }: Machine): Promise<string> {
  const name = `bare-${randomBytes(4).toString('hex')}`;
  await callDocker(dockerUrl, 'POST /networks/create', {
    json: { Name: name, CheckDuplicate: true, Driver: 'bridge' },
  });
  return name;
}

const Created = z.object({ Id: z.string() });
const Inspected = z.object({
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.object({ IPAddress: z.string() })) }),
});

async function bringUp({ dockerUrl }: Machine, network: string, prober: Prober): Promise<number> {
  const json = { Image: tinyImage, HostConfig: { NetworkMode: network, Memory: 128 * bytesPerMb } };
  let id = '';
  const ms = await timedMs(async () => {
    id = Created.parse(
      JSON.parse((await callDocker(dockerUrl, 'POST /containers/create', { json })).body.toString()),
    ).Id;
    await callDocker(dockerUrl, `POST /containers/${id}/start`);
    const inspected = Inspected.parse(
      JSON.parse((await callDocker(dockerUrl, `GET /containers/${id}/json`)).body.toString()),
    );
    await prober.probe(inspected.NetworkSettings.Networks[network]?.IPAddress ?? '', tinyPort);
  });
  await callDocker(dockerUrl, `DELETE /containers/${id}?force=1`);
  return ms;
}

type Prober = { probe(address: string, port: number): Promise<void>; stop(): void };

const proberSource = `
  const net = require('node:net');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [host, port] = line.split(' ');
    const attempt = () => {
      const socket = net.connect({ host, port: Number(port) });
      socket.once('connect', () => { socket.destroy(); console.log('open'); });
      socket.once('error', () => setTimeout(attempt, 5));
    };
    attempt();
  });
`;

/** Connects from inside the machine's network, like the containers. */
function startProber({ netns }: Machine): Prober {
  const child = spawn('nsenter', [`--net=${netns}`, '--', process.execPath, '-e', proberSource], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return {
    async probe(address, target) {
      const answered = once(child.stdout, 'data');
      child.stdin.write(`${address} ${target}\n`);
      await answered;
    },
    stop: () => child.kill(),
  };
}
