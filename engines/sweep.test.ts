import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { postgres } from './postgres.ts';
import { statOf } from './processes.ts';
import { restate } from './restate.ts';
import { folderOfRun, markOf, runFolder, runVariable } from './run.ts';
import { sweepAbandonedRuns } from './sweep.ts';

/** Idle process, as part of a run if one is named. */
function idle(run?: string): ChildProcess {
  const child = spawn('sleep', ['600'], { stdio: 'ignore', env: run === undefined ? {} : { [runVariable]: run } });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Run with a folder, a process and a live owner. */
async function openRun() {
  const owner = idle();
  const mark = markOf(owner.pid ?? 0) ?? '';
  const folder = await folderOfRun(mark);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const killOwner = async () => {
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
  };
  return { mark, folder, member: idle(mark), killOwner };
}

const isRunning = ({ pid }: ChildProcess): boolean => markOf(pid ?? 0) !== undefined;

test('a sweep removes the engines, processes and folder of a run whose owner was killed, and nothing of a living run', async () => {
  const [killed, living] = [await openRun(), await openRun()];
  const abandoned = await postgres.start({ dataFolder: join(killed.folder, 'postgres'), durable: false });
  const used = await postgres.start({ dataFolder: join(living.folder, 'postgres'), durable: false });
  onTestFinished(() => used.stop());
  await killed.killOwner();
  const swept = await sweepAbandonedRuns();
  expect(swept).toContainEqual({ mark: killed.mark });
  expect(await postgres.ready(abandoned.url)).toBe(false);
  expect(isRunning(killed.member)).toBe(false);
  expect(existsSync(killed.folder)).toBe(false);
  expect(swept.map(({ mark }) => mark)).not.toContain(living.mark);
  expect(await postgres.ready(used.url)).toBe(true);
  expect(isRunning(living.member)).toBe(true);
  expect(existsSync(living.folder)).toBe(true);
});

test('a process that has the pid of a killed owner does not keep its run', async () => {
  const { startTicks = 0 } = statOf(process.pid) ?? {};
  const mark = `${process.pid}-${(startTicks - 1).toString(36)}`;
  const folder = await folderOfRun(mark);
  const member = idle(mark);
  expect(await sweepAbandonedRuns()).toContainEqual({ mark });
  expect(isRunning(member)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

test('a process is swept with its run also when the folder of the run is gone', async () => {
  const { mark, folder, member, killOwner } = await openRun();
  await rm(folder, { recursive: true });
  await killOwner();
  expect(await sweepAbandonedRuns()).toContainEqual({ mark });
  expect(isRunning(member)).toBe(false);
});

test('two sweeps at the same time remove each run once', async () => {
  const runs = [await openRun(), await openRun(), await openRun()];
  for (const { killOwner } of runs) await killOwner();
  const swept = (await Promise.all([sweepAbandonedRuns(), sweepAbandonedRuns()])).flat();
  for (const { mark } of runs) expect(swept.filter((each) => each.mark === mark)).toEqual([{ mark }]);
});

test('the engines of a fleet in a killed run are ended too', async () => {
  const { folder, killOwner } = await openRun();
  const [one, two] = [join(folder, 'restate-one'), join(folder, 'fleet-some', 'restate')];
  const urls = [
    await restate.start({ dataFolder: one, durable: false }),
    await restate.start({ dataFolder: two, durable: false }),
  ];
  await killOwner();
  await sweepAbandonedRuns();
  for (const { url } of urls) expect(await restate.ready(url)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

test('a durable engine finds its data again after a stop', async () => {
  const dataFolder = await runFolder(`again-${process.pid}`, 'postgres');
  const first = await postgres.start({ dataFolder });
  await first.stop();
  expect(await postgres.ready(first.url)).toBe(false);
  const second = await postgres.start({ dataFolder, port: Number(new URL(first.url).port) });
  try {
    expect(second.url).toBe(first.url);
  } finally {
    await second.stop();
    await rm(join(dataFolder, '..'), { recursive: true });
  }
});
