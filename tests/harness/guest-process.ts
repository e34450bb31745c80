import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../engines/free-port.ts';
import { buildGuest, hostNode } from '../../engines/guest/runtime.ts';
import { runEnvironment } from '../../engines/run.ts';

export type GuestProcessWish = {
  variables?: Readonly<Record<string, string>>;
  workingDirectory?: string;
  args?: readonly string[];
  /** Replaces the built runtime: the helper starts the `guest/main.js` of this folder. */
  runtimeFolder?: string;
  /** Program that the helper starts instead of the machine's Node.js. */
  node?: string;
  /** User id that the helper itself runs as, as in an image with a USER. */
  account?: number;
  /** Resolves at once, even if nothing answers: for a helper that should refuse its settings. */
  withoutWaiting?: boolean;
};

export type GuestProcess = AsyncDisposable & {
  url: string;
  /** Process id of the helper. */
  pid: number;
  guestPid(): Promise<number>;
  stateFolder: string;
  /** Standard output and error of the helper and the guest so far. */
  output(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
};

/** Runs the native helper and the guest as plain processes of this machine, with the machine's own Node.js. */
export async function startGuestProcess(wish: GuestProcessWish = {}): Promise<GuestProcess> {
  const [built, node] = await Promise.all([buildGuest(), hostNode()]);
  const place = await mkdtemp(join(tmpdir(), 'guest-'));
  await chmod(place, 0o755);
  const workingDirectory = wish.workingDirectory ?? join(place, 'work');
  await mkdir(workingDirectory, { recursive: true });
  if (wish.account !== undefined) await chown(place, wish.account, wish.account);
  const port = await freePort();
  const runtime = wish.runtimeFolder ?? built;
  const child = spawn(
    join(built, 'init'),
    ['--port', `${port}`, '--runtime', runtime, '--node', wish.node ?? node, ...(wish.args ?? [])],
    {
      cwd: workingDirectory,
      env: {
        PATH: '/usr/local/bin:/usr/bin:/bin',
        HOME: place,
        SANDBOX_LOG_DIR: place,
        ...runEnvironment(),
        ...wish.variables,
      },
      ...(wish.account === undefined ? {} : { uid: wish.account, gid: wish.account }),
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const pid = await pidOf(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const url = `http://127.0.0.1:${port}`;
  const running: GuestProcess = {
    url,
    pid,
    guestPid: () => guestOf(pid, runtime),
    stateFolder: join(wish.variables?.SANDBOX_LOG_DIR ?? place, 'state'),
    output: () => output,
    ended,
    async stop() {
      if (!hasEnded()) child.kill('SIGTERM');
      await ended;
    },
    async [Symbol.asyncDispose]() {
      await running.stop();
      await rm(place, { recursive: true, force: true });
    },
  };
  if (!wish.withoutWaiting) await untilAnswered(url, hasEnded, () => output);
  return running;
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid === undefined) {
    const [error] = await once(child, 'error');
    throw error;
  }
  return child.pid;
}

/** The helper holds the listening socket, so a request waits until the guest takes it. */
async function untilAnswered(url: string, hasEnded: () => boolean, output: () => string): Promise<void> {
  const deadline = Date.now() + 45_000;
  for (;;) {
    try {
      await fetch(`${url}/health`, { signal: AbortSignal.timeout(45_000) });
      return;
    } catch (error) {
      if (hasEnded() || Date.now() > deadline)
        throw new Error(`The guest does not answer:\n${output()}`, { cause: error });
      await sleep(20);
    }
  }
}

/** The child of the helper that runs the guest's program, once there is one. */
async function guestOf(pid: number, runtime: string): Promise<number> {
  const deadline = Date.now() + 45_000;
  while (Date.now() < deadline && existsSync(`/proc/${pid}`)) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    for (const child of children.split(' ').filter((word) => word)) {
      const words = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if (words.split('\0').includes(join(runtime, 'guest/main.js'))) return Number(child);
    }
    await sleep(5);
  }
  throw new Error('The helper runs no guest.');
}
