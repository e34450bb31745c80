import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MeterMachine } from '../../test/test-meter.ts';

let machine: MeterMachine;
beforeEach(() => {
  machine = new MeterMachine();
});
afterEach(() => machine[Symbol.dispose]());

test('the time is not known before the first welcome, and runs on with the monotonic clock after it', () => {
  const { clock, kill } = machine.start();
  expect(clock.now()).toBeUndefined();
  clock.set(machine.nowMs + 0.7);
  machine.systemMs += 99_000;
  machine.uptimeMs += 1_500;
  expect(clock.now()).toBe(machine.nowMs);
  kill();
});

test('the next process of the same boot has the time before it is connected, and one of another boot does not', () => {
  const first = machine.start();
  first.clock.set(machine.nowMs);
  first.kill();
  machine.sleep(4_000);
  const second = machine.start();
  expect([second.clock.continuesBoot, second.clock.now()]).toEqual([true, machine.nowMs]);
  second.kill();
  machine.reboot();
  const third = machine.start();
  expect([third.clock.continuesBoot, third.clock.now()]).toEqual([false, undefined]);
  third.kill();
});

test('the time never goes back behind a stamp of an earlier process, also after a reboot', () => {
  const first = machine.start();
  first.meter.setClock(machine.nowMs);
  first.meter.begin('one', { memoryMb: 1, run: 'a' });
  first.pass(50_000);
  first.meter.close();
  const stampMs = machine.nowMs;
  machine.reboot();
  machine.epochMs -= 30_000;
  const second = machine.start();
  second.meter.setClock(machine.nowMs);
  expect(second.clock.now()).toBe(stampMs);
  machine.sleep(31_000);
  expect(second.clock.now()).toBe(stampMs + 1_000);
  second.kill();
});

test('whatever the api says, the time never goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 10_000 }), fc.integer({ min: -50_000, max: 50_000 }))), (welcomes) => {
      using other = new MeterMachine();
      const { clock, kill } = other.start();
      let lastMs = 0;
      for (const [passedMs, jumpMs] of welcomes) {
        other.sleep(passedMs);
        clock.set(other.nowMs + jumpMs);
        const nowMs = clock.now() ?? 0;
        expect(nowMs).toBeGreaterThanOrEqual(lastMs);
        lastMs = nowMs;
      }
      kill();
    }),
    { numRuns: 50 },
  );
});
