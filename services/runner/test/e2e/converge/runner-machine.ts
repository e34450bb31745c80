// An engine in its own network namespace, and a runner there that can be started, stopped and killed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { DesiredInstance, InstanceReport, LogLine, RunnerCallAnswer, StreamMessage } from '@berth/contract/node';
import { runFolder, runName } from '../../../../../engines/run.ts';
import { startTestDocker, type TestDocker } from '../../../../../engines/test-docker.ts';
import type { Admission } from '../../../src/ingress/endpoint.ts';

type Said = Omit<InstanceReport, 'sequence'>;

export interface Runner {
  readonly reports: Said[];
  readonly lines: LogLine[];
  send(message: StreamMessage): void;
  all(...instances: DesiredInstance[]): void;
  /** First report of the instance in one of these states, searched from report number `from`. */
  report(id: string, states: readonly Said['state'][], from?: number): Promise<Said>;
  /** Adopts a sandbox as the api does. Returns the answer and how long it took. */
  adopt(desired: DesiredInstance): Promise<{ readonly said: RunnerCallAnswer; readonly ms: number }>;
  sleep(instance: string): Promise<RunnerCallAnswer>;
  /** Asks for admission to an instance, as a gateway does. */
  open(instance: string): Promise<Admission>;
  /** Ends an instance as the disk watch does. */
  endForDisk(instance: string): Promise<void>;
  /** Number of times the runner has counted what an instance has written. */
  counts(): number;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface RunnerMachine extends AsyncDisposable {
  readonly docker: TestDocker;
  readonly runnerId: string;
  readonly netns: string;
  readonly stateFolder: string;
  /** Starts a runner; `other` overrides settings of the machine. */
  start(other?: { readonly guestFolder: undefined }): Promise<Runner>;
}

const program = fileURLToPath(new URL('./converge-process.ts', import.meta.url));
const patienceMs = 60_000;

export interface RunnerMachineOptions {
  readonly guestFolder?: string;
  /** Limit of one instance. With it the runner watches the disk, and the engine has a file system of its own. */
  readonly diskMb?: number;
}

export async function startRunnerMachine(options: RunnerMachineOptions = {}): Promise<RunnerMachine> {
  const name = runName('converge');
  const netns = `/run/netns/${name}`;
  execFileSync('ip', ['netns', 'add', name]);
  execFileSync('ip', ['-n', name, 'link', 'set', 'lo', 'up']);
  const docker = await startTestDocker({ netns, ...(options.diskMb === undefined ? {} : { disk: { sizeMb: 2_000 } }) });
  const runnerId = randomUUID();
  const stateFolder = await mkdtemp(join(await runFolder(), 'runner-'));
  const settings = { runnerId, dockerUrl: docker.url, stateFolder, ...options };
  return {
    docker,
    runnerId,
    netns,
    stateFolder,
    async start(other) {
      // `ip netns exec` would hide the cgroups.
      const [enter, ...words] = ['nsenter', `--net=${netns}`, '--', process.execPath, program] as const;
      const said = JSON.stringify({ ...settings, ...other });
      return follow(spawn(enter, [...words, said], { stdio: ['pipe', 'pipe', 'inherit'] }));
    },
    async [Symbol.asyncDispose]() {
      await docker[Symbol.asyncDispose]();
      execFileSync('ip', ['netns', 'delete', name]);
    },
  };
}

function follow(child: ChildProcess): Runner {
  const reports: Said[] = [];
  const lines: LogLine[] = [];
  let counts = 0;
  const calls = new Map<number, (answer: { said: never; ms: number }) => void>();
  const call = (what: Record<string, unknown>) =>
    new Promise<{ said: never; ms: number }>((resolve) => {
      const number = calls.size + 1;
      calls.set(number, resolve);
      child.stdin?.write(`${JSON.stringify({ number, ...what })}\n`);
    });
  if (child.stdout === null) throw new Error('The runner has no output.');
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line);
    if (said.report) reports.push(said.report);
    if (said.output) lines.push(...said.output.lines);
    if (said.counted) counts += 1;
    if (said.answer) calls.get(said.answer.number)?.(said.answer);
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child.exitCode !== null || child.signalCode !== null ? undefined : once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const send = (message: StreamMessage) => void child.stdin?.write(`${JSON.stringify(message)}\n`);
  return {
    reports,
    lines,
    send,
    all: (...instances) => send({ type: 'all', instances, leaving: [], gone: [] }),
    async report(id, states, from = 0) {
      const deadline = Date.now() + patienceMs;
      for (;;) {
        const found = reports.slice(from).find(({ instance, state }) => instance === id && states.includes(state));
        if (found !== undefined) return found;
        if (Date.now() > deadline) throw new Error(`No ${states.join(' or ')} of ${id}: ${JSON.stringify(reports)}`);
        await sleep(20);
      }
    },
    adopt: (desired) => call({ adopt: desired }),
    sleep: async (instance) => (await call({ sleep: instance })).said,
    open: async (instance) => (await call({ open: instance })).said,
    endForDisk: async (instance) => void (await call({ endForDisk: instance })),
    counts: () => counts,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
