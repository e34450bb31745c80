// The cycle by which sandbox services are compared: create, run one command, delete. The figures include every step.
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxMachine } from '../tests/harness/sandbox-machine.ts';
import type { Bench, Measure } from './bench.ts';
import { quantile, rounded, timedMs } from './support/statistics.ts';

const cycles = 30;
const pool = 32;
const staggerMs = 200;

export const sandboxCycle: Bench = {
  name: 'sandbox-cycle',
  about: 'create, `echo ready`, delete: one after the other, every 200 ms, and all at once',
  async *run({ isolations }) {
    for (const isolation of isolations) {
      await using sandboxes = await SandboxMachine.start({ name: `cycle-${isolation}`, isolation, pool });
      const numbers = Array.from({ length: cycles }, (_, at) => at);
      const sequential = [];
      for (const at of numbers) sequential.push(await cycle(sandboxes, `seq-${at}`));
      yield* figures(`${isolation}: sequential`, sequential, isolation === 'runc' ? { p50: 120, max: 600 } : {});
      await sandboxes.untilRested();
      const staggered = await Promise.all(
        numbers.map(async (at) => {
          await sleep(at * staggerMs);
          return cycle(sandboxes, `late-${at}`);
        }),
      );
      yield* figures(`${isolation}: every ${staggerMs} ms`, staggered, {});
      await sandboxes.untilRested();
      const burst = await Promise.all(numbers.map((at) => cycle(sandboxes, `burst-${at}`)));
      yield* figures(`${isolation}: burst of ${cycles}`, burst, {});
    }
  },
};

function cycle(sandboxes: SandboxMachine, name: string): Promise<number> {
  const wish = { name, workspace: 'main' };
  return timedMs(async () => {
    await sandboxes.create({ ...wish, envs: 0 });
    const said = await sandboxes.exec(wish, 'echo ready');
    if (said !== 'ready\n') throw new Error(`It said ${said}.`);
    await sandboxes.remove(wish);
  });
}

function* figures(name: string, values: readonly number[], most: { p50?: number; max?: number }): Generator<Measure> {
  const shown = { p50: 0.5, p95: 0.95, p99: 0.99, max: 1 };
  for (const [key, share] of Object.entries(shown)) {
    const atMost = key === 'p50' || key === 'max' ? most[key] : undefined;
    yield {
      name: `${name}, ${key}`,
      value: rounded(quantile(values, share)),
      unit: 'ms',
      ...(atMost === undefined ? {} : { bound: { atMost } }),
    };
  }
}
