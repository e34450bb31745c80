// Runs that were killed: the sweep finds and removes everything they made, by the mark of the run alone.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '@berth/telemetry';
import { expect, onTestFinished, test } from 'vitest';
import { folderOfRun, markOf, ownerLives } from '../../../engines/run.ts';
import { sweepAbandonedRuns } from '../../../engines/sweep.ts';
import { childrenOf } from '../../harness/children-of.ts';
import { type Census, censusOf, enginesOf } from './census.ts';

const root = resolve(import.meta.dirname, '../../..');
const patient = { timeout: 400_000, interval: 200 };
const nothing: Census = {
  processes: [],
  containers: [],
  mounts: [],
  loopDevices: [],
  namespaces: [],
  links: [],
  cgroups: [],
};
const some = expect.arrayContaining([expect.any(String)]);

// The started processes are outside the run of this test; `ENGINES_NAME` gives them standing engines of their own.
const env = { PATH: environment.PATH, HOME: environment.HOME, CI: '1', ENGINES_NAME: 'leftovers' };

type Started = { child: ChildProcess; folder: string; census(): Census; kill(): Promise<void> };

async function start(...words: string[]): Promise<Started> {
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes));
  const mark = markOf(child.pid ?? 0) ?? '';
  const folder = await folderOfRun(mark);
  let engines: string[] = [];
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(async () => {
    await kill();
    await sweepAbandonedRuns();
  });
  return {
    child,
    folder,
    kill,
    census() {
      if (child.exitCode !== null) throw new Error(`"${words.join(' ')}" ended before it was killed:\n${output}`);
      if (engines.length === 0) engines = enginesOf(folder);
      return censusOf(mark, folder, engines);
    },
  };
}

/** Every descendant of a process, with the mark of the run or without. */
const descendantsOf = (parent: number): number[] =>
  childrenOf(parent).flatMap(({ pid }) => [pid, ...descendantsOf(pid)]);

/** Kills the run once it has everything `wanted`, and checks that all of it outlives the run. Returns its processes. */
async function killWhen({ child, census, kill }: Started, wanted: Partial<Census>): Promise<string[]> {
  await expect.poll(census, patient).toMatchObject(wanted);
  const started = descendantsOf(child.pid ?? 0).map((pid) => markOf(pid) ?? '');
  await kill();
  await expect.poll(census, patient).toMatchObject(wanted);
  return started;
}

test('a bench and an end-to-end run that were killed leave nothing after pnpm engines down', async () => {
  const bench = await start('bench/run.ts', 'sandbox-wake');
  const file = 'services/runner/test/e2e/disk.test.ts';
  const tests = await start('node_modules/vitest/vitest.mjs', 'run', '--project', 'heavy', file);
  const whole = { processes: some, containers: some, mounts: some, namespaces: some, links: some, cgroups: some };
  const started = await Promise.all([killWhen(bench, whole), killWhen(tests, { ...whole, loopDevices: some })]);
  expect(started.flat().filter(ownerLives)).not.toEqual([]);
  await promisify(execFile)('pnpm', ['engines', 'down'], { cwd: root, env });
  expect(started.flat().filter(ownerLives)).toEqual([]);
  for (const run of [bench, tests]) {
    expect(run.census()).toEqual(nothing);
    expect(existsSync(run.folder)).toBe(false);
  }
}, 900_000);

test('an interrupted bench removes everything it made before it ends', async () => {
  const { child, folder, census } = await start('bench/run.ts', 'test-database', '--full');
  const isReady = () => existsSync(`${folder}/postgres/cluster/postmaster.pid`);
  await expect.poll(isReady, patient).toBe(true);
  await expect.poll(() => census().processes, patient).not.toEqual([]);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([143, null]);
  expect(existsSync(folder)).toBe(false);
}, 900_000);
