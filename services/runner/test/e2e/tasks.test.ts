// The runner runs tasks on a real engine: each at most once, and each has one result. No api here: the test sends the
// desired tasks directly.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isolationClasses, type LogLine, type TaskInstance } from '@berth/contract/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../../../engines/docker-api.ts';
import { gvisor } from '../../../../engines/gvisor.ts';
import { networkTools } from '../../../../engines/network-tools.ts';
import { importTinyImage } from '../../../../engines/tiny-image.ts';
import { inspect } from '../../../../tests/e2e/engines/container.ts';
import { importScriptImage } from '../../../../tests/harness/script-image.ts';
import { isolationsOf } from '../../../../tests/harness/workloads.ts';
import { desiredTask } from '../desired-instance.ts';
import { type Runner, type RunnerMachine, startRunnerMachine } from './converge/runner-machine.ts';
import { startEmptyRegistry } from './tasks/start-empty-registry.ts';

let machine: RunnerMachine;
let runner: Runner;
/** Lines of runners that were killed or stopped. */
const earlierLines: LogLine[] = [];

/** A task that runs a shell script. All use one image, because a build takes as long as a task. */
const task = (script: string, other: Partial<TaskInstance> = {}) =>
  desiredTask({ image: 'task-script:latest', ...other, env: { SCRIPT: script, ...other.env } });
/** Script that runs until it gets a signal: USR1 ends it with 6; TERM is noted and ignored. */
const untilSignal = (name: string) =>
  `trap "exit 6" USR1; trap "echo ${name} asked" TERM; echo ${name} begun; while :; do sleep 0.1; done`;

const write = (megabytes: number) => `busybox dd if=/dev/zero of=/big bs=1048576 count=${megabytes}`;

const containers = async (): Promise<
  { Id: string; Names: string[]; State: string; Labels: Record<string, string> }[]
> => inspect(machine.docker.url, 'GET /containers/json?all=1');
const containerOf = async (id: string) => (await containers()).find(({ Names }) => Names.includes(`/berth-${id}`));
const stateOf = async (id: string) => (await containerOf(id))?.State ?? 'absent';
const fileOf = (id: string) => join(machine.stateFolder, 'tasks', `${id}.json`);
/** Number of lines with a text that only one task says. A line that was sent twice counts once. */
const timesSaid = (text: string) =>
  new Set([...earlierLines, ...runner.lines].flatMap((line) => (line.text === text ? line.sequence : []))).size;

function run(...tasks: TaskInstance[]): void {
  for (const instance of tasks) runner.send({ type: 'set', instance });
}

async function ended({ id }: TaskInstance, from = 0) {
  const report = await runner.report(id, ['ended', 'failed', 'gone'], from);
  expect(report.state).toBe('ended');
  return report;
}

/** Container that holds the network of a task. */
const slotOf = async ({ id }: TaskInstance) => (await containerOf(id))?.Labels['berth.instance-slot'];

/** Removes a task and expects that nothing of it is left but its network slot, which the next task may use. */
async function remove({ id }: TaskInstance): Promise<void> {
  const from = runner.reports.length;
  runner.send({ type: 'unset', id, isLeaving: false });
  await runner.report(id, ['gone'], from);
  expect(await stateOf(id)).toBe('absent');
  expect(existsSync(fileOf(id))).toBe(false);
}

async function end(how: 'kill' | 'stop'): Promise<void> {
  await runner[how]();
  earlierLines.push(...runner.lines);
}

beforeAll(async () => {
  await Promise.all([networkTools.install(), gvisor.install()]);
  machine = await startRunnerMachine({ diskMb: 1_000 });
  await importTinyImage(machine.docker.url);
  await importScriptImage(machine.docker.url, 'task-script', 'eval "$SCRIPT"', 0);
  runner = await machine.start();
  runner.all();
}, 900_000);

afterAll(async () => {
  await runner?.stop();
  await machine?.[Symbol.asyncDispose]();
});

describe.concurrent.each(isolationsOf('gvisor'))('under $isolation', ({ isolation }) => {
  const isolated = { isolation, memoryMb: 128 };
  // These start first, because their test waits for their timeouts.
  const stubborn = task(untilSignal(`stubborn ${isolation}`), { ...isolated, timeoutSeconds: 5 });
  const polite = task('trap "exit 0" TERM; while :; do sleep 0.1; done', {
    ...isolated,
    timeoutSeconds: 5,
    graceSeconds: 600,
  });

  beforeAll(() => run(stubborn, polite));

  test('a task that ends with 0 succeeds, and its container stays until it is removed', async ({ expect }) => {
    const desired = task(`echo "done $NAME" ${isolation}`, { ...isolated, env: { NAME: 'well' } });
    run(desired);
    const report = await ended(desired);
    expect(report).toMatchObject({ starts: 1, result: { reason: 'exited', exitCode: 0 } });
    expect(report.message).toBeUndefined();
    expect(report.result?.ranMs).toBeGreaterThanOrEqual(0);
    expect(report.result?.endedMsAgo).toBeGreaterThanOrEqual(0);
    expect(await stateOf(desired.id)).toBe('exited');
    expect(await runner.open(desired.id)).toEqual({ is: 'unknown' });
    await remove(desired);
    await expect.poll(() => timesSaid(`done well ${isolation}`)).toBe(1);
  });

  test('a task that ends with another code has failed, with its code and its last output', async () => {
    const desired = task('echo "no input" >&2; exit 3', isolated);
    run(desired);
    expect(await ended(desired)).toMatchObject({
      result: { reason: 'exited', exitCode: 3 },
      message: 'It ended with exit code 3. Its last output:\nno input',
    });
    await remove(desired);
  });

  // Several at once: the engine misses some of them then.
  test('tasks that need more than their memory ran out of memory', async () => {
    const script = 'x=aaaaaaaaaaaaaaaa; while true; do x=$x$x; done';
    const all = Array.from({ length: 4 }, () => task(script, { isolation, memoryMb: 64 }));
    run(...all);
    for (const report of await Promise.all(all.map((desired) => ended(desired))))
      expect(report).toMatchObject({
        result: { reason: 'out_of_memory' },
        message: 'Out of memory: it needs more than its 64 MB. Raise spec.runtime.memory.',
      });
    await Promise.all(all.map(remove));
  });

  test('a task that runs too long gets SIGTERM, and SIGKILL after its grace period', async ({ expect }) => {
    const killed = await ended(stubborn);
    expect(killed).toMatchObject({
      result: { reason: 'timeout' },
      message:
        'It ran for more than its 5 seconds and was ended. Raise spec.runtime.timeout, or give each task less to do.',
    });
    expect(killed.result?.exitCode).toBeUndefined();
    expect(killed.result?.ranMs).toBeGreaterThan(5_900);
    await expect.poll(() => timesSaid(`stubborn ${isolation} asked`)).toBe(1);
    const left = await ended(polite);
    expect(left.result?.reason).toBe('timeout');
    expect(left.result?.ranMs).toBeGreaterThan(4_900);
    await remove(stubborn);
    await remove(polite);
  });
});

test.concurrent('a task whose image is missing never starts', async () => {
  using registry = await startEmptyRegistry(machine.netns);
  const desired = desiredTask({
    image: `${registry.host}/nothing:1`,
    imageSource: { origin: 'outside', isListed: true },
  });
  run(desired);
  const report = await ended(desired);
  expect(report).toMatchObject({ starts: 0, result: { reason: 'image_missing' } });
  expect(report.result?.ranMs).toBeUndefined();
  expect(report.message).toContain('Check its name and tag');
  expect(await stateOf(desired.id)).toBe('absent');
  await remove(desired);
});

test.concurrent('a running task that is no longer wanted gets its grace period, and leaves nothing', async ({
  expect,
}) => {
  const desired = task(untilSignal('unwanted'));
  run(desired);
  await runner.report(desired.id, ['ready']);
  await expect.poll(() => timesSaid('unwanted begun'), { timeout: 20_000 }).toBe(1);
  await remove(desired);
  await expect.poll(() => timesSaid('unwanted asked'), { timeout: 20_000 }).toBe(1);
});

test.each(isolationsOf('gvisor'))(
  'under $isolation tasks of one workspace use a network slot one after the other, and it is removed when no task comes',
  async ({ isolation }) => {
    const workspaceId = randomUUID();
    const slots: (string | undefined)[] = [];
    for (let index = 0; index < 3; index += 1) {
      const desired = task('exit 0', { isolation, memoryMb: 128, workspaceId });
      run(desired);
      expect((await ended(desired)).result).toMatchObject({ exitCode: 0 });
      slots.push(await slotOf(desired));
      await remove(desired);
    }
    // A machine that stands still for longer than a slot is kept gives out another one.
    expect(new Set(slots).size).toBeLessThan(slots.length);
    const isThere = async () => (await containers()).some(({ Id }) => slots.includes(Id));
    await expect.poll(isThere, { timeout: 60_000 }).toBe(false);
  },
);

test('a task that fills the disk is ended at once, and its files are freed before it is removed', async () => {
  const desired = task(untilSignal('disk'), { graceSeconds: 600 });
  const before = task('exit 4');
  run(desired, before);
  await runner.report(desired.id, ['ready']);
  await ended(before);
  await Promise.all([desired.id, before.id].map((id) => runner.endForDisk(id)));
  expect(await ended(desired)).toMatchObject({ result: { reason: 'disk_full' }, message: 'It wrote too much.' });
  // A task that had ended before keeps its own result.
  await expect
    .poll(() => Promise.all([desired.id, before.id].map(stateOf)), { timeout: 30_000 })
    .toEqual(['absent', 'absent']);
  await end('kill');
  runner = await machine.start();
  runner.all(desired, before);
  expect((await ended(desired)).result?.reason).toBe('disk_full');
  expect((await ended(before)).result).toMatchObject({ reason: 'exited', exitCode: 4 });
  await remove(desired);
  await remove(before);
});

test.each(isolationClasses)(
  'on %s a task beyond the disk of its own is ended for that reason; a task within its own, or with none, is not',
  async (isolation) => {
    const isolated = { isolation, memoryMb: 128 };
    const limited = { ...isolated, diskMb: 16 };
    const writeWithoutName = `exec 5>/big; busybox rm /big; busybox dd if=/dev/zero bs=1048576 count=40 >&5`;
    const [free, modest, greedy] = [
      task(write(40), isolated),
      task(`${write(8)}; ${untilSignal(`modest ${isolation}`)}`, limited),
      // Counts that come once a minute would find it too late.
      task(`trap "${writeWithoutName}" USR1; echo greedy ${isolation} begun; while :; do sleep 0.1; done`, {
        ...limited,
        timeoutSeconds: 30,
      }),
    ];
    // Each task is counted once when it is new. The writes of the greedy task come after that.
    for (const each of [modest, greedy]) {
      const counts = runner.counts();
      run(each);
      await runner.report(each.id, ['ready']);
      await expect.poll(() => runner.counts(), { timeout: 30_000 }).toBeGreaterThan(counts);
    }
    for (const name of ['modest', 'greedy'])
      await expect.poll(() => timesSaid(`${name} ${isolation} begun`), { timeout: 30_000 }).toBe(1);
    await callDocker(machine.docker.url, `POST /containers/berth-${greedy.id}/kill?signal=USR1`);
    run(free);
    expect(await ended(greedy)).toMatchObject({
      result: { reason: 'disk_full' },
      message:
        'It wrote more than the 16 MB that it may. It was ended and what it had written is gone. Write less, or raise spec.runtime.diskPercent or spec.runtime.memory.',
    });
    expect((await ended(free)).result).toMatchObject({ reason: 'exited', exitCode: 0 });
    await callDocker(machine.docker.url, `POST /containers/berth-${modest.id}/kill?signal=USR1`);
    expect((await ended(modest)).result).toMatchObject({ reason: 'exited', exitCode: 6 });
    for (const each of [free, modest, greedy]) await remove(each);
  },
);

test('a killed runner finds the results of its tasks again, and no task runs twice', async () => {
  const [lasting, short, late] = [
    task(untilSignal('lasting')),
    task('echo short; sleep 1; exit 5'),
    task('echo late; sleep 600', { timeoutSeconds: 2 }),
  ];
  run(lasting, short, late);
  for (const { id } of [lasting, short, late]) await runner.report(id, ['ready', 'ended']);
  await end('kill');
  await expect.poll(() => stateOf(short.id), { timeout: 30_000 }).toBe('exited');
  runner = await machine.start();
  runner.all(lasting, short, late);
  const shortResult = (await ended(short)).result;
  expect(shortResult).toMatchObject({ reason: 'exited', exitCode: 5 });
  expect(shortResult?.ranMs).toBeGreaterThan(900);
  expect(shortResult?.endedMsAgo).toBeGreaterThan(0);
  // The deadline counts from the start of the process, not from the start of the runner.
  expect((await ended(late)).result?.reason).toBe('timeout');
  expect(await runner.report(lasting.id, ['ready', 'starting', 'ended'])).toMatchObject({ state: 'ready', starts: 1 });
  await callDocker(machine.docker.url, `POST /containers/berth-${lasting.id}/kill?signal=USR1`);
  expect((await ended(lasting)).result).toMatchObject({ reason: 'exited', exitCode: 6 });

  // The api did not hear of the results: the next process reports the same.
  await end('kill');
  runner = await machine.start();
  runner.all(lasting, short, late);
  expect((await ended(short)).result).toMatchObject({ ...shortResult, endedMsAgo: expect.any(Number) });
  expect((await ended(lasting)).result).toMatchObject({ reason: 'exited', exitCode: 6 });
  expect((await ended(late)).result?.reason).toBe('timeout');
  for (const each of [lasting, short, late]) await remove(each);
  for (const text of ['lasting begun', 'short', 'late']) await expect.poll(() => timesSaid(text)).toBe(1);
});

test('a task whose container is gone is lost and not run again; files of other tasks are cleared away', async () => {
  const [taken, never, unwanted] = [task('echo taken; sleep 600'), task('echo never'), desiredTask()];
  run(taken);
  await runner.report(taken.id, ['ready']);
  await expect.poll(() => timesSaid('taken'), { timeout: 20_000 }).toBe(1);
  await end('kill');
  await callDocker(machine.docker.url, `DELETE /containers/berth-${taken.id}?force=1`);
  await mkdir(join(machine.stateFolder, 'tasks'), { recursive: true });
  for (const { id } of [never, unwanted]) await writeFile(fileOf(id), JSON.stringify({ graceSeconds: 1 }));
  runner = await machine.start();
  runner.all(taken, never);
  for (const each of [taken, never]) {
    const report = await ended(each);
    expect(report).toMatchObject({ result: { reason: 'lost' }, message: expect.stringContaining('it may have run') });
    expect(report.result?.ranMs).toBeUndefined();
    expect(await stateOf(each.id)).toBe('absent');
  }
  await runner.report(unwanted.id, ['gone']);
  expect(existsSync(fileOf(unwanted.id))).toBe(false);
  await remove(taken);
  await remove(never);
  expect([timesSaid('taken'), timesSaid('never')]).toEqual([1, 0]);
});

test('an engine that is away ends no task and loses none', async () => {
  const [running, late] = [task(untilSignal('outage')), task('echo after')];
  run(running);
  await runner.report(running.id, ['ready']);
  await machine.docker.kill();
  run(late);
  await machine.docker.start();
  expect((await ended(late)).result).toMatchObject({ reason: 'exited', exitCode: 0 });
  await callDocker(machine.docker.url, `POST /containers/berth-${running.id}/kill?signal=USR1`);
  expect((await ended(running)).result).toMatchObject({ reason: 'exited', exitCode: 6 });
  await remove(running);
  await remove(late);
  for (const text of ['outage begun', 'after']) await expect.poll(() => timesSaid(text)).toBe(1);
});
