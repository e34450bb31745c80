import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MeterMachine, type MeterProcess, UsageStore } from '../../../test/test-meter.ts';
import { meterTask } from './meter-task.ts';

const task = { id: randomUUID(), memoryMb: 64 };

let machine: MeterMachine;
let store: UsageStore;
let runner: MeterProcess;

beforeEach(() => {
  machine = new MeterMachine();
  store = new UsageStore();
  runner = machine.start();
  runner.meter.setClock(machine.nowMs);
  runner.pass(60_000);
});
afterEach(() => {
  runner.meter.close();
  machine[Symbol.dispose]();
});

/** A container as the engine describes it, with times by the clock of the machine. */
const running = (startedAt: number) =>
  ({ id: 'c', status: 'running', pid: 9, startedAt, finishedAt: undefined }) as const;
const exited = (startedAt: number, finishedAt: number) =>
  ({ id: 'c', status: 'exited', pid: undefined, startedAt, finishedAt }) as const;

function lasted(): number[] {
  store.drain(runner);
  return store.of(task.id).map(({ lastedMs }) => lastedMs);
}

test('a task that was seen running is metered from the start to the exit of its process', () => {
  const startedAt = machine.systemMs - 300;
  meterTask(task, running(startedAt), undefined, runner.meter);
  runner.pass(4_000);
  meterTask(task, running(startedAt), undefined, runner.meter);
  runner.pass(1_000);
  for (let looks = 0; looks < 3; looks += 1)
    meterTask(task, exited(startedAt, startedAt + 4_500), undefined, runner.meter);
  expect(lasted()).toEqual([4_500]);
});

test('a task that ended before the runner saw it is metered once', () => {
  const startedAt = machine.systemMs - 300;
  for (let looks = 0; looks < 3; looks += 1)
    meterTask(task, exited(startedAt, startedAt + 80), undefined, runner.meter);
  expect(lasted()).toEqual([80]);
});

test('a task is not billed for time before the runner asked for its start, also when the clock was set ahead', () => {
  const startedAt = machine.systemMs;
  const askedMs = runner.meter.now();
  runner.pass(500);
  machine.systemMs += 3_600_000;
  meterTask(task, running(startedAt), askedMs, runner.meter);
  expect(lasted()).toEqual([500]);
});

test('a task that was created and never started is not metered', () => {
  const created = { id: 'c', status: 'created', pid: undefined, startedAt: undefined, finishedAt: undefined } as const;
  meterTask(task, created, undefined, runner.meter);
  meterTask(task, undefined, undefined, runner.meter);
  expect(lasted()).toEqual([]);
});
