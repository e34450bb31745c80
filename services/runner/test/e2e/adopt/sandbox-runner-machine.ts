// A runner for sandboxes, and commands to these sandboxes from the runner's network namespace.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { guestPort } from '@berth/contract/guest';
import type { IsolationClass, SandboxInstance } from '@berth/contract/node';
import { callDocker } from '../../../../../engines/docker-api.ts';
import { buildGuest } from '../../../../../engines/guest/runtime.ts';
import { gvisor } from '../../../../../engines/gvisor.ts';
import { networkTools } from '../../../../../engines/network-tools.ts';
import { importTinyImage } from '../../../../../engines/tiny-image.ts';
import { cgroupOf } from '../../../src/machine/cgroup/find.ts';
import { thawGroup } from '../../../src/machine/cgroup/freeze.ts';
import { type RunnerMachine, startRunnerMachine } from '../converge/runner-machine.ts';

const execute = promisify(execFile);

export interface SandboxRunnerMachine extends RunnerMachine {
  /** Output of a command inside the sandbox at that address, started through its guest as its owner would. */
  runIn(address: string, command: string): Promise<string>;
  /** Removes what a reboot removes: every container process, the bridge, and the rules. The runner must have ended. */
  reboot(): Promise<void>;
  /** Desired instance of a warm sandbox, which has no owner yet. */
  warm(isolation: IsolationClass): SandboxInstance;
}

export async function startSandboxRunnerMachine(): Promise<SandboxRunnerMachine> {
  await Promise.all([networkTools.install(), gvisor.install()]);
  const machine = await startRunnerMachine({ guestFolder: await buildGuest() });
  const image = await rootImage(machine.docker.url);
  return {
    ...machine,
    async runIn(address, command) {
      const body = JSON.stringify({ command, waitForCompletion: true });
      const json = ['-H', 'content-type: application/json', '-d', body];
      const words = ['curl', '-sS', '--max-time', '20', ...json, `http://${address}:${guestPort}/process`];
      const { stdout } = await execute('nsenter', [`--net=${machine.netns}`, '--', ...words]);
      return JSON.parse(stdout).logs;
    },
    async reboot() {
      const { body } = await callDocker(machine.docker.url, 'GET /containers/json');
      const running: { Id: string; State: string }[] = JSON.parse(body.toString());
      for (const { Id, State } of running) {
        if (State === 'paused') await callDocker(machine.docker.url, `POST /containers/${Id}/unpause`);
        const pid = JSON.parse((await callDocker(machine.docker.url, `GET /containers/${Id}/json`)).body.toString())
          .State.Pid;
        await thawAndKill(pid);
      }
      const isQuiet = async (): Promise<boolean> =>
        (await callDocker(machine.docker.url, 'GET /containers/json')).body.toString().trim() === '[]';
      while (!(await isQuiet())) await sleep(50);
      const inside = (...words: string[]) => execute('nsenter', [`--net=${machine.netns}`, '--', ...words]);
      await inside('nft', 'delete', 'table', 'inet', 'berth');
      await inside('ip', 'link', 'delete', 'berth0');
    },
    warm: (isolation) => ({
      mode: 'sandbox',
      id: randomUUID(),
      generation: 1,
      revision: 'boot-1',
      image,
      isolation,
      memoryMb: 256,
      cpus: 1,
      port: guestPort,
      env: {},
      startTimeoutSeconds: 30,
      // Longer than any of these tests takes: they call guests without a lease, so the runner does not see the sandbox
      // in use.
      sandbox: { idleSeconds: 600 },
    }),
  };
}

/** With cgroup v1 a frozen process does not react to signals, so it is thawed first. */
async function thawAndKill(pid: number): Promise<void> {
  const group = await cgroupOf(pid, 'freezer');
  if (group !== undefined) await thawGroup(group);
  process.kill(pid, 'SIGKILL');
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

/** The same sandbox after a workspace has claimed it. */
export const claimed = (warm: SandboxInstance, other: Partial<SandboxInstance> = {}): SandboxInstance => ({
  ...warm,
  generation: warm.generation + 1,
  workspaceId: randomUUID(),
  resource: { uid: randomUUID(), kind: 'sandbox', name: 'box' },
  env: { GREETING: 'hello' },
  ...other,
});
