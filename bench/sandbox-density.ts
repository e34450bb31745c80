// Number of sandboxes that sleep on one machine, the cost of one, and a check that all of them wake.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolationClass } from '@berth/contract/node';
import { SandboxMachine, type Wish } from '../tests/harness/sandbox-machine.ts';
import type { Bench, Measure } from './bench.ts';
import { memoryParts } from './sandbox/memory-parts.ts';
import { sandboxCpuMs } from './sandbox/sandbox-cpu.ts';
import { median, quantile, timedMs } from './support/statistics.ts';

const atOnce = 8;
const idleSeconds = 10;

export const sandboxDensity: Bench = {
  name: 'sandbox-density',
  about: 'sandboxes asleep on one machine: memory of one by part, and all of them woken in random order and in a burst',
  async *run({ full, isolations }) {
    for (const isolation of isolations) {
      yield await idleCpu(isolation);
      const count = full ? 200 : 20;
      // No pool: all are started, since the bench measures how many the machine holds.
      const settings = { BERTH_PLACEMENT_SANDBOXES_OVERCOMMIT: '64' };
      await using sandboxes = await SandboxMachine.start({
        name: `density-${isolation}`,
        isolation,
        pool: 0,
        settings,
      });
      const freeBefore = await availableMb();
      const wishes = Array.from(
        { length: count },
        (_, at): Wish => ({ name: `dense-${at}`, workspace: 'main', envs: 1 }),
      );
      // Each sleeps before many others are started, as it would by itself: two cores do not carry 200 awake sandboxes.
      await limited(wishes, async (wish) => {
        await sandboxes.create(wish);
        await sandboxes.exec(wish, 'echo mine > /tmp/mine; sleep 1000000 & ');
        await sandboxes.sleep(wish);
      });
      const freeAsleep = await availableMb();
      yield* parts(isolation, await memoryParts(sandboxes.machine));
      yield {
        name: `${isolation}: memory of the machine for each of ${count} asleep`,
        value: (freeBefore - freeAsleep) / count,
        unit: 'MiB',
      };
      const random = await wakeAll(sandboxes, shuffled(wishes), 1);
      yield { name: `${isolation}: woken in random order, p50`, value: median(random), unit: 'ms' };
      yield { name: `${isolation}: woken in random order, p99`, value: quantile(random, 0.99), unit: 'ms' };
      await limited(wishes, (wish) => sandboxes.sleep(wish));
      const burst = await wakeAll(sandboxes, wishes, count);
      yield { name: `${isolation}: all ${count} woken at once, the last after`, value: Math.max(...burst), unit: 'ms' };
    }
  },
};

/** CPU cost of an awake, unused sandbox until it sleeps. */
async function idleCpu(isolation: IsolationClass): Promise<Measure> {
  const settings = { BERTH_PLACEMENT_SANDBOXES_IDLE_SECONDS: '3600' };
  await using sandboxes = await SandboxMachine.start({ name: `idle-${isolation}`, isolation, pool: 0, settings });
  const wishes = Array.from({ length: 4 }, (_, at): Wish => ({ name: `idle-${at}`, workspace: 'main', envs: 1 }));
  for (const wish of wishes) await sandboxes.create(wish);
  for (const wish of wishes) await sandboxes.exec(wish, 'true');
  // By then the work that follows a create and a command has ended.
  await sleep(5_000);
  const before = await sandboxCpuMs(sandboxes.machine);
  await sleep(idleSeconds * 1_000);
  const spent = (await sandboxCpuMs(sandboxes.machine)) - before;
  return {
    name: `${isolation}: one awake, idle`,
    value: spent / wishes.length / idleSeconds,
    unit: 'ms CPU per s',
  };
}

function* parts(isolation: string, measured: Awaited<ReturnType<typeof memoryParts>>): Generator<Measure> {
  const { sandboxMb, shimMb, slotMb, slotShimMb } = measured;
  yield {
    name: `${isolation}: one asleep, its cgroup and its shim`,
    value: median(sandboxMb) + median(shimMb),
    unit: 'MiB',
    ...(isolation === 'runc' ? { bound: { atMost: 20 } } : {}),
    detail: {
      cgroup: median(sandboxMb),
      shim: median(shimMb),
      networkCgroup: median(slotMb),
      networkShim: median(slotShimMb),
    },
  };
}

/** Checks that each sandbox answers and has kept its file. */
async function wakeAll(sandboxes: SandboxMachine, wishes: readonly Wish[], together: number): Promise<number[]> {
  const times: number[] = [];
  await limited(
    wishes,
    async (wish) => {
      times.push(
        await timedMs(async () => {
          const { status, text } = await sandboxes.call(wish, 'GET', '/filesystem/%2Ftmp%2Fmine');
          if (status !== 200 || !text.includes('mine'))
            throw new Error(`${wish.name}: ${status} ${text.slice(0, 200)}`);
        }),
      );
    },
    together,
  );
  return times;
}

async function limited<T>(items: readonly T[], work: (item: T) => Promise<unknown>, most = atOnce): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: Math.min(most, items.length) }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ item }) => item);
}

async function availableMb(): Promise<number> {
  const [, kb = '0'] = /MemAvailable:\s+(\d+)/.exec(await readFile('/proc/meminfo', 'utf8')) ?? [];
  return Number(kb) / 1024;
}
