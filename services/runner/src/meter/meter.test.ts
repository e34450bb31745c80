import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MeterMachine, type MeterProcess, UsageStore } from '../../test/test-meter.ts';
import type { Beginning } from './metered-run.ts';

const hourMs = 3_600_000;
const one = randomUUID();
const run = { memoryMb: 512, run: 'container 7', pid: 7 };

let machine: MeterMachine;
let store: UsageStore;
let runner: MeterProcess;

beforeEach(() => {
  machine = new MeterMachine();
  store = new UsageStore();
  runner = machine.start();
  runner.meter.setClock(machine.nowMs);
});
afterEach(() => {
  runner.meter.close();
  machine[Symbol.dispose]();
});

const lasted = (instance = one) => store.of(instance).map(({ lastedMs }) => lastedMs);

/** Kills the runner, and starts the next process after a while. */
function restart(afterMs: number): void {
  runner.kill();
  machine.sleep(afterMs);
  runner = machine.start();
}

test('an interval lasts from its beginning to its end, and is open until then', () => {
  runner.meter.begin(one, run);
  runner.pass(7_000);
  store.drain(runner);
  expect(lasted()).toEqual([7_000]);
  runner.pass(1_000);
  runner.meter.end(one);
  runner.pass(9_000);
  store.drain(runner);
  expect(store.of(one)).toEqual([{ number: 0, lastedMs: 8_000, memoryMb: 512 }]);
  expect(runner.due.count).toBe(1);
});

test('beginning again with the same run and memory changes nothing, and ending twice neither', () => {
  for (let times = 0; times < 3; times += 1) {
    runner.meter.begin(one, { ...run, continues: times > 1 });
    runner.pass(1_000);
  }
  runner.meter.end(one);
  runner.meter.end(one);
  store.drain(runner);
  expect(lasted()).toEqual([3_000]);
});

test('other memory closes the interval, and the next begins in the same millisecond', () => {
  runner.meter.begin(one, run);
  runner.pass(2_000);
  runner.meter.change(one, 1_024);
  runner.pass(3_000);
  runner.meter.begin(one, { ...run, memoryMb: 2_048 });
  runner.pass(4_000);
  runner.meter.change(one, 0);
  runner.pass(5_000);
  store.drain(runner);
  expect(store.of(one)).toEqual([
    { number: 0, lastedMs: 2_000, memoryMb: 512 },
    { number: 1, lastedMs: 3_000, memoryMb: 1_024 },
    { number: 2, lastedMs: 4_000, memoryMb: 2_048 },
  ]);
  const all = [...store.intervals.values()];
  expect(all.slice(1).map(({ fromMs }) => fromMs)).toEqual(all.slice(0, -1).map(({ toMs }) => toMs));
});

test('an instance without memory is not metered', () => {
  runner.meter.begin(one, { ...run, memoryMb: 0 });
  runner.pass(2_000);
  store.drain(runner);
  expect(lasted()).toEqual([]);
});

test('an interval that was open for an hour is closed, and the next begins in the same millisecond', () => {
  runner.meter.begin(one, run);
  runner.pass(2 * hourMs + 10_000);
  store.drain(runner);
  expect(lasted()).toEqual([hourMs, hourMs, 10_000]);
  store.checkOverlaps();
});

test('an interval ends at its last mark when its process was found gone, and at an earlier end that is known', () => {
  const two = randomUUID();
  for (const instance of [one, two]) runner.meter.begin(instance, run);
  runner.pass(6_000);
  machine.deadPids.add(run.pid);
  runner.pass(60_000);
  runner.meter.end(one);
  runner.meter.end(two, runner.meter.timeAt(machine.systemMs - 59_500));
  store.drain(runner);
  expect([lasted(one), lasted(two)]).toEqual([[5_000], [6_500]]);
});

test('an end that the engine noticed after the runner did is not believed', () => {
  runner.meter.begin(one, run);
  runner.pass(6_000);
  machine.deadPids.add(run.pid);
  runner.pass(60_000);
  runner.meter.end(one, runner.meter.timeAt(machine.systemMs - 10_000));
  store.drain(runner);
  expect(lasted()).toEqual([5_000]);
});

test('an end before the beginning, or in the future after the clock was set, keeps the interval between both', () => {
  const two = randomUUID();
  for (const instance of [one, two]) runner.meter.begin(instance, run);
  runner.pass(3_000);
  runner.meter.end(one, runner.meter.timeAt(machine.systemMs - 90_000));
  runner.meter.end(two, runner.meter.timeAt(machine.systemMs + 90_000));
  store.drain(runner);
  expect([lasted(one), lasted(two)]).toEqual([[0], [3_000]]);
});

test('a process that is gone is not metered again', () => {
  machine.deadPids.add(run.pid);
  runner.meter.begin(one, run);
  runner.pass(6_000);
  store.drain(runner);
  expect(lasted()).toEqual([]);
});

test('a process that ends while its sandbox is frozen is billed up to the freeze', () => {
  runner.meter.begin(one, run);
  runner.pass(3_000);
  runner.meter.hold(one);
  runner.pass(8_000);
  machine.deadPids.add(run.pid);
  runner.meter.end(one, runner.meter.timeAt(machine.systemMs - 2_000));
  store.drain(runner);
  expect(lasted()).toEqual([3_000]);
});

describe('a freeze', () => {
  test('ends the interval at its beginning, however long it takes', () => {
    runner.meter.begin(one, run);
    runner.pass(3_000);
    runner.meter.hold(one);
    runner.pass(8_000);
    store.drain(runner);
    runner.meter.end(one);
    runner.pass(60_000);
    runner.meter.begin(one, run);
    runner.pass(1_000);
    store.drain(runner);
    expect(lasted()).toEqual([3_000, 1_000]);
  });

  test('that failed lets the interval go on once the sandbox was found awake', () => {
    runner.meter.begin(one, run);
    runner.pass(3_000);
    runner.meter.hold(one);
    runner.pass(8_000);
    runner.meter.begin(one, { ...run, continues: true });
    runner.pass(1_000);
    store.drain(runner);
    expect(lasted()).toEqual([12_000]);
  });

  test('that failed ends the interval where it began if the sandbox was thawed unseen', () => {
    runner.meter.begin(one, run);
    runner.pass(3_000);
    runner.meter.hold(one);
    runner.pass(8_000);
    runner.meter.begin(one, run);
    runner.pass(1_000);
    store.drain(runner);
    expect(lasted()).toEqual([3_000, 1_000]);
  });
});

describe('the next process of the runner', () => {
  test('continues the interval of a run that still runs, with the time in between', () => {
    runner.meter.begin(one, run);
    runner.pass(7_000);
    restart(20_000);
    runner.meter.begin(one, { ...run, continues: true });
    runner.pass(3_000);
    store.drain(runner);
    expect(store.of(one)).toEqual([{ number: 0, lastedMs: 30_000, memoryMb: 512 }]);
  });

  test.each<[string, Beginning]>([
    ['restarted', { ...run, continues: true, run: 'container 8' }],
    ['thawed', run],
    ['changed', { ...run, continues: true, memoryMb: 64 }],
  ])('closes an interval at its last mark when the run was %s', (_, beginning) => {
    runner.meter.begin(one, run);
    runner.pass(7_000);
    restart(20_000);
    runner.meter.begin(one, beginning);
    runner.pass(1_000);
    store.drain(runner);
    expect(lasted()).toEqual([5_000, 1_000]);
    store.checkOverlaps();
  });

  test('closes an interval at its last mark when the run was frozen, or when another run ended', () => {
    const two = randomUUID();
    for (const instance of [one, two]) runner.meter.begin(instance, run);
    runner.pass(7_000);
    restart(20_000);
    runner.meter.end(one);
    runner.meter.end(two, runner.meter.now(), 'container 8');
    runner.pass(1_000);
    store.drain(runner);
    expect([lasted(one), lasted(two)]).toEqual([[5_000], [5_000]]);
  });

  test('ends an interval where its run ended meanwhile, by the name of the run', () => {
    runner.meter.begin(one, run);
    runner.pass(7_000);
    restart(20_000);
    runner.meter.end(one, runner.meter.timeAt(machine.systemMs - 15_000), run.run);
    store.drain(runner);
    expect(lasted()).toEqual([12_000]);
  });

  test('closes all intervals at their last mark after a reboot, and numbers go on', () => {
    runner.meter.begin(one, run);
    runner.pass(7_000);
    runner.kill();
    machine.sleep(30_000);
    machine.reboot();
    runner = machine.start();
    expect(runner.meter.now()).toBeUndefined();
    runner.meter.setClock(machine.nowMs);
    runner.meter.begin(one, { ...run, continues: true });
    runner.pass(2_000);
    store.drain(runner);
    expect(store.of(one).map(({ number, lastedMs }) => [number, lastedMs])).toEqual([
      [0, 5_000],
      [1, 2_000],
    ]);
    store.checkOverlaps();
  });

  test('knows the instances that an earlier one metered, until they have ended', () => {
    const two = randomUUID();
    for (const instance of [one, two]) runner.meter.begin(instance, run);
    runner.meter.forget(two);
    runner.pass(1);
    restart(1);
    expect(runner.meter.instances()).toEqual([one]);
  });
});

describe('before the clock is known', () => {
  beforeEach(() => {
    runner.kill();
    machine.reboot();
    runner = machine.start();
  });

  test('a beginning is remembered, and the interval begins when the clock becomes known', () => {
    runner.meter.begin(one, run);
    runner.pass(60_000);
    runner.meter.setClock(machine.nowMs);
    runner.pass(2_000);
    store.drain(runner);
    expect(lasted()).toEqual([2_000]);
  });

  test('an instance that has ended or was changed meanwhile is metered as it is then', () => {
    const two = randomUUID();
    for (const instance of [one, two]) runner.meter.begin(instance, run);
    runner.meter.end(one);
    runner.meter.change(two, 64);
    runner.meter.setClock(machine.nowMs);
    runner.pass(2_000);
    store.drain(runner);
    expect(store.of(one)).toEqual([]);
    expect(store.of(two)).toEqual([{ number: 0, lastedMs: 2_000, memoryMb: 64 }]);
  });
});

describe('a run with a known start', () => {
  const task = { ...run, continues: true };

  test('is metered from that start, and not from a time before this journal', () => {
    const two = randomUUID();
    runner.pass(10_000);
    runner.meter.begin(one, { ...task, sinceMs: machine.nowMs - 3_000 });
    runner.meter.begin(two, { ...task, sinceMs: machine.nowMs - 90_000 });
    store.drain(runner);
    expect([lasted(one), lasted(two)]).toEqual([[3_000], [10_000]]);
  });

  test('is metered from its last end on where it was taken for over, also by the next process', () => {
    runner.pass(60_000);
    const sinceMs = machine.nowMs;
    for (let times = 0; times < 3; times += 1) {
      runner.meter.begin(one, { ...task, sinceMs });
      runner.pass(2_000);
      runner.meter.end(one);
      runner.settle();
      if (times === 1) restart(500);
    }
    store.drain(runner);
    expect(lasted()).toEqual([2_000, 2_000, 2_500]);
    store.checkOverlaps();
  });

  test('is metered once, also if it was over before it was seen, and in the next process', () => {
    runner.pass(60_000);
    const ended = { ...run, fromMs: machine.nowMs - 3_000, toMs: machine.nowMs - 1_000 };
    for (let times = 0; times < 3; times += 1) {
      runner.meter.record(one, { ...ended, toMs: ended.toMs + times });
      store.drain(runner);
    }
    restart(50);
    runner.meter.record(one, { ...ended, toMs: ended.toMs + 40 });
    store.drain(runner);
    expect(lasted()).toEqual([2_000]);
  });

  test('that is seen running and then over is one interval up to its end', () => {
    runner.pass(60_000);
    const startedMs = machine.nowMs - 100;
    runner.meter.begin(one, { ...task, sinceMs: startedMs });
    runner.pass(7_000);
    restart(20_000);
    runner.meter.record(one, { ...run, fromMs: startedMs, toMs: machine.nowMs - 5_000 });
    store.drain(runner);
    expect(lasted()).toEqual([22_100]);
  });
});

describe('a welcome with another time', () => {
  test('that is later does not lengthen an open interval', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    machine.epochMs += 60_000;
    runner.meter.setClock(machine.nowMs);
    runner.pass(2_000);
    runner.meter.end(one);
    runner.meter.begin(one, run);
    runner.pass(1_000);
    store.drain(runner);
    expect(lasted()).toEqual([7_000, 1_000]);
    expect(store.intervals.get(`${one} 1`)?.fromMs).toBe(machine.nowMs - 1_000);
  });

  test('that is earlier never moves a stamp before an earlier one', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    machine.epochMs -= 60_000;
    runner.meter.setClock(machine.nowMs);
    runner.pass(2_000);
    runner.meter.end(one);
    runner.meter.begin(one, run);
    runner.pass(58_000);
    runner.pass(3_000);
    store.drain(runner);
    expect(lasted()).toEqual([5_000, 3_000]);
    store.checkOverlaps();
  });
});

describe('acknowledgement', () => {
  test('of an open interval that has grown since keeps the rest', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    const sent = runner.meter.nextBatch(true);
    runner.pass(5_000);
    runner.meter.end(one);
    runner.meter.acknowledge(sent);
    expect(runner.meter.nextBatch(true).intervals).toMatchObject([{ number: 0, toMs: machine.nowMs }]);
    runner.meter.acknowledge(runner.meter.nextBatch(true));
    expect(runner.meter.unacknowledged).toBe(0);
    expect(runner.meter.nextBatch(true)).toEqual({ intervals: [], ended: [] });
  });

  test('of an interval that ended where it was last sent leaves nothing to send', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    store.drain(runner);
    machine.deadPids.add(run.pid);
    runner.meter.end(one);
    expect(runner.meter.nextBatch(true).intervals).toEqual([]);
    expect(lasted()).toEqual([5_000]);
  });

  test('an unacknowledged interval is sent again, also by the next process', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    runner.meter.end(one);
    const first = runner.meter.nextBatch(false);
    expect(first.intervals).toHaveLength(1);
    runner.settle();
    restart(1_000);
    expect(runner.meter.nextBatch(false)).toEqual(first);
  });

  test('an instance has ended only after its last interval is acknowledged, and never begins again', () => {
    runner.meter.begin(one, run);
    runner.pass(5_000);
    runner.meter.forget(one);
    runner.meter.begin(one, run);
    runner.pass(5_000);
    const first = runner.meter.nextBatch(true);
    expect([first.intervals.length, first.ended]).toEqual([1, []]);
    runner.meter.acknowledge(first);
    const second = runner.meter.nextBatch(true);
    expect(second).toEqual({ intervals: [], ended: [one] });
    runner.meter.acknowledge(second);
    expect(runner.meter.nextBatch(true)).toEqual({ intervals: [], ended: [] });
  });

  test('an instance that was never metered has ended too', () => {
    runner.meter.forget(one);
    store.drain(runner);
    expect(store.ended).toEqual([one]);
  });
});
