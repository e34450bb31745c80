// Test fixture: a machine with a test clock on which processes of a runner meter, one after the other, with a real journal;
// and an api that keeps the longest of each interval.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageBatch, type UsageInterval } from '@berth/contract/node';
import { createLogger, type Logger } from '@berth/telemetry';
import { DeploymentClock } from '../src/meter/deployment-clock.ts';
import { UsageMeter } from '../src/meter/meter.ts';
import { openUsageJournal } from '../src/meter/open-usage-journal.ts';

const silentLogger = createLogger({ role: 'runner' }, { level: 'silent' });

/** One process of the runner. */
export interface MeterProcess {
  readonly meter: UsageMeter;
  readonly clock: DeploymentClock;
  /** Times at which there was something to send. */
  readonly due: { count: number };
  /** Does what was left for after the work in progress. */
  settle(): void;
  /** Lets time pass, with a mark every five seconds. */
  pass(ms: number): void;
  /** Ends as SIGKILL does: nothing more is written. */
  kill(): void;
}

/** In memory where possible: a kill loses nothing there either, and hundreds of journals would wait for the disk. */
const journals = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export class MeterMachine implements Disposable {
  readonly folder = mkdtempSync(join(journals, 'berth-meter-'));
  readonly deadPids = new Set<number>();
  bootId = 'boot-1';
  uptimeMs = 1_000;
  /** Clock of the machine, by which the engine stamps. */
  systemMs = 5_000_000;

  /** The deployment's clock: exactly `epochMs` after the boot. */
  epochMs = 1_000_000;

  get nowMs(): number {
    return this.epochMs + this.uptimeMs;
  }

  start(logger: Logger = silentLogger): MeterProcess {
    const journal = openUsageJournal(this.folder, logger);
    const clock = new DeploymentClock({ journal, bootId: this.bootId, uptimeMs: () => this.uptimeMs });
    const left: (() => void)[] = [];
    const due = { count: 0 };
    let mark = (): void => {};
    let untilMarkMs = 5_000;
    const meter = new UsageMeter({
      ...{ journal, clock },
      timers: {
        every(ms, work) {
          untilMarkMs = ms;
          mark = work;
          return () => {
            mark = () => {};
          };
        },
        soon: (work) => void left.push(work),
        later: (work) => void left.push(work),
      },
      isAlive: (pid) => !this.deadPids.has(pid),
      systemMs: () => this.systemMs,
      onDue: () => {
        due.count += 1;
      },
    });
    const settle = (): void => {
      for (const work of left.splice(0)) work();
    };
    return {
      ...{ meter, clock, due, settle },
      pass: (ms) => {
        settle();
        for (let restMs = ms; restMs > 0; ) {
          const stepMs = Math.min(restMs, untilMarkMs);
          this.#advance(stepMs);
          restMs -= stepMs;
          untilMarkMs -= stepMs;
          if (untilMarkMs > 0) continue;
          untilMarkMs = 5_000;
          mark();
        }
      },
      kill: () => journal.close(),
    };
  }

  /** Time passes while no runner runs. */
  sleep(ms: number): void {
    this.#advance(ms);
  }

  reboot(): void {
    this.bootId = `${this.bootId}+`;
    this.epochMs = this.nowMs;
    this.uptimeMs = 0;
  }

  #advance(ms: number): void {
    this.uptimeMs += ms;
    this.systemMs += ms;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** An api that keeps the longest of each interval, and checks what it may rely on. */
export class UsageStore {
  readonly intervals = new Map<string, UsageInterval>();
  readonly ended: string[] = [];

  take(sent: UsageBatch): void {
    const { intervals, ended } = UsageBatch.parse(sent);
    for (const interval of intervals) {
      const key = `${interval.instance} ${interval.number}`;
      const known = this.intervals.get(key);
      if (known !== undefined && (known.fromMs !== interval.fromMs || known.memoryMb !== interval.memoryMb))
        throw new Error(`Interval ${key} has changed: ${JSON.stringify([known, interval])}`);
      if (known === undefined || known.toMs < interval.toMs) this.intervals.set(key, interval);
    }
    this.ended.push(...ended);
  }

  /** Takes and acknowledges everything. */
  drain({ meter }: MeterProcess): void {
    meter.mark();
    for (;;) {
      const batch = meter.nextBatch(true);
      if (batch.intervals.length === 0 && batch.ended.length === 0) return;
      this.take(batch);
      meter.acknowledge(batch);
    }
  }

  /** Intervals of an instance, by number: how long, and with how much memory. */
  of(instance: string): { readonly number: number; readonly lastedMs: number; readonly memoryMb: number }[] {
    return [...this.intervals.values()]
      .filter((interval) => interval.instance === instance)
      .toSorted((a, b) => a.number - b.number)
      .map(({ number, fromMs, toMs, memoryMb }) => ({ number, lastedMs: toMs - fromMs, memoryMb }));
  }

  /** Fails when two intervals of an instance share a moment. */
  checkOverlaps(): void {
    const all = [...this.intervals.values()].toSorted((a, b) => a.fromMs - b.fromMs || a.number - b.number);
    const last = new Map<string, UsageInterval>();
    for (const interval of all) {
      const before = last.get(interval.instance);
      if (before !== undefined && before.toMs > interval.fromMs)
        throw new Error(`Intervals overlap: ${JSON.stringify([before, interval])}`);
      last.set(interval.instance, interval);
    }
  }
}
