import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Writable } from 'node:stream';
import { createLogger, type Logger } from '@berth/telemetry';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MeterMachine, UsageStore } from '../../test/test-meter.ts';

const one = randomUUID();
const run = { memoryMb: 512, run: 'container 7' };

let machine: MeterMachine;
let store: UsageStore;
let errors: string[];
let logger: Logger;

beforeEach(() => {
  machine = new MeterMachine();
  store = new UsageStore();
  errors = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      errors.push(JSON.parse(String(chunk)).msg);
      done();
    },
  });
  logger = createLogger({ role: 'runner' }, { level: 'error', destination });
});
afterEach(() => machine[Symbol.dispose]());

const file = () => join(machine.folder, 'usage.sqlite');

/** Meters for a while and is killed. */
function meterOnce(ms: number): void {
  const runner = machine.start(logger);
  runner.meter.setClock(machine.nowMs);
  runner.meter.begin(one, run);
  runner.pass(ms);
  runner.meter.end(one);
  store.drain(runner);
  runner.kill();
}

const damages: Record<string, () => void> = {
  'is no database': () => {
    writeFileSync(file(), 'not a database at all'.repeat(1_000));
    writeFileSync(`${file()}-wal`, 'left behind');
  },
  'has a damaged page': () => {
    const bytes = readFileSync(file());
    writeFileSync(file(), bytes.fill(0xa5, 4_096, 8_192));
  },
  'has another schema': () => {
    rmSync(file());
    new DatabaseSync(file()).exec('CREATE TABLE intervals (something TEXT)');
  },
};

describe('a journal that', () => {
  test.each(Object.keys(damages))('%s is put aside with an error, and a new one begins with unused numbers', (name) => {
    meterOnce(10_000);
    const before = store.of(one).map(({ number }) => number);
    damages[name]?.();
    meterOnce(7_000);
    const [first, second] = store.of(one);
    expect([before, first?.lastedMs, second?.lastedMs]).toEqual([[0], 10_000, 7_000]);
    expect(second?.number).toBeGreaterThan(1_000_000);
    expect(errors).toEqual([expect.stringContaining('put aside')]);
    expect(readdirSync(machine.folder).filter((found) => found.startsWith('usage.sqlite.damaged-'))).toHaveLength(1);
    // The new one is kept.
    meterOnce(1_000);
    expect(store.of(one).map(({ number }) => number)).toEqual([0, second?.number, (second?.number ?? 0) + 1]);
    expect(errors).toHaveLength(1);
    store.checkOverlaps();
  });

  test('cannot be written anywhere is in memory, and usage is sent all the same', () => {
    rmSync(machine.folder, { recursive: true });
    writeFileSync(machine.folder, 'a file where the folder belongs');
    meterOnce(3_000);
    expect(store.of(one).map(({ lastedMs }) => lastedMs)).toEqual([3_000]);
    expect(errors.at(-1)).toContain('cannot be written');
  });
});

test('while the journal cannot be written, instances are metered, the error is logged once, and nothing is lost', () => {
  const runner = machine.start(logger);
  runner.meter.setClock(machine.nowMs);
  runner.meter.begin(one, run);
  runner.pass(6_000);
  const other = new DatabaseSync(file());
  other.exec('ALTER TABLE intervals RENAME TO taken_away');
  runner.pass(20_000);
  runner.meter.end(one);
  runner.pass(30_000);
  runner.meter.begin(one, run);
  runner.pass(4_000);
  expect(runner.meter.nextBatch(true)).toEqual({ intervals: [], ended: [] });
  expect(errors).toEqual([expect.stringContaining('journal of usage failed')]);
  other.exec('ALTER TABLE taken_away RENAME TO intervals');
  other.close();
  store.drain(runner);
  expect(store.of(one).map(({ lastedMs }) => lastedMs)).toEqual([26_000, 4_000]);
  runner.kill();
});

test('ten thousand cycles of sleep leave a small journal once they are acknowledged', () => {
  const runner = machine.start(logger);
  runner.meter.setClock(machine.nowMs);
  for (let cycle = 0; cycle < 10_000; cycle += 1) {
    runner.meter.begin(one, run);
    runner.pass(100);
    runner.meter.end(one);
    runner.settle();
    if (cycle % 500 === 0) store.drain(runner);
  }
  store.drain(runner);
  expect(store.of(one)).toHaveLength(10_000);
  expect(runner.meter.unacknowledged).toBe(0);
  runner.meter.close();
  expect(readFileSync(file()).length).toBeLessThan(10_000_000);
  expect(errors).toEqual([]);
});
