// Sandboxes on a runner of their own, and somebody on its machine who speaks to them.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import type { DesiredInstance, IsolationClass } from '@berth/contract';
import { callDocker } from '../../../scripts/engines/docker-api.ts';
import { buildGuest } from '../../../scripts/engines/guest/runtime.ts';
import { gvisor } from '../../../scripts/engines/gvisor.ts';
import { networkTools } from '../../../scripts/engines/network-tools.ts';
import { importTinyImage } from '../../../scripts/engines/tiny-image.ts';
import { type Bed, startBed } from '../runner-converge/bed.ts';

const execute = promisify(execFile);

export interface SandboxBed extends Bed {
  /** What a command prints inside the sandbox at that address; started through its guest, like its owner would. */
  runIn(address: string, command: string): Promise<string>;
  /** Ready before anybody asks for one. */
  warm(isolation: IsolationClass): DesiredInstance;
}

export async function startSandboxBed(): Promise<SandboxBed> {
  await Promise.all([networkTools.install(), gvisor.install()]);
  const bed = await startBed({ guestFolder: await buildGuest() });
  const image = await rootImage(bed.docker.url);
  return {
    ...bed,
    async runIn(address, command) {
      const body = JSON.stringify({ command, waitForCompletion: true });
      const json = ['-H', 'content-type: application/json', '-d', body];
      const words = ['curl', '-sS', '--max-time', '20', ...json, `http://${address}:8080/process`];
      const { stdout } = await execute('nsenter', [`--net=${bed.netns}`, '--', ...words]);
      return JSON.parse(stdout).logs;
    },
    warm: (isolation) => ({
      id: randomUUID(),
      generation: 1,
      revision: 'boot-1',
      image,
      isolation,
      memoryMb: 256,
      cpus: 1,
      port: 8080,
      env: {},
      startTimeoutSeconds: 30,
      // These tests speak to guests without a lease, as nobody else does: longer than any of them takes.
      sandbox: { idleSeconds: 600 },
    }),
  };
}

/** The tiny image, in which everything runs as root. */
async function rootImage(dockerUrl: string): Promise<string> {
  await importTinyImage(dockerUrl);
  const created = await callDocker(dockerUrl, 'POST /containers/create', { json: { Image: 'berth-tiny:latest' } });
  const { Id } = JSON.parse(created.body.toString());
  const query = new URLSearchParams({ container: Id, repo: 'berth-tiny-root', changes: 'USER 0:0' });
  await callDocker(dockerUrl, `POST /commit?${query}`);
  await callDocker(dockerUrl, `DELETE /containers/${Id}`);
  return 'berth-tiny-root:latest';
}

/** The same sandbox once somebody has claimed it. */
export const claimed = (warm: DesiredInstance, other: Partial<DesiredInstance> = {}): DesiredInstance => ({
  ...warm,
  generation: warm.generation + 1,
  workspaceId: randomUUID(),
  resource: { uid: randomUUID(), kind: 'sandbox', name: 'box' },
  env: { GREETING: 'hello' },
  ...other,
});
