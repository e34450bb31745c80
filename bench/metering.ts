// Cost of metering: the same runner with its metering turned on and off in turns, while a sandbox wakes, and while sandboxes
// are asleep and awake.
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolationClass } from '@berth/contract/node';
import { until } from '../tests/harness/until.ts';
import type { Bench, Measure } from './bench.ts';
import { MeteredMachine } from './metering/metered-machine.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const wish = { name: 'sleeper', workspace: 'main' };

export const metering: Bench = {
  name: 'metering',
  about:
    'wake through the gateway with metering / without it; CPU that metering adds while sandboxes are asleep and awake',
  async *run({ full, isolations }) {
    for (const isolation of isolations) {
      await using metered = await MeteredMachine.start(isolation);
      yield* wakes(metered, isolation, full ? 400 : 20);
      yield* rest(
        metered,
        isolation,
        full ? { asleep: 200, awake: 16, windows: 3 } : { asleep: 4, awake: 2, windows: 1 },
      );
    }
  },
};

async function* wakes(metered: MeteredMachine, isolation: IsolationClass, rounds: number): AsyncGenerator<Measure> {
  const { sandboxes } = metered;
  await sandboxes.create(wish);
  const times: Readonly<Record<'on' | 'off', number[]>> = { on: [], off: [] };
  // In turns, so that other load on the machine affects both alike. The first round is not counted, because connections,
  // plans and caches are created in it.
  for (let round = -1; round < rounds; round += 1)
    for (const way of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await sandboxes.sleep(wish);
      await metered.setMetering(way === 'on');
      const ms = await timedMs(async () => {
        const { status } = await sandboxes.call(wish, 'GET', '/health');
        if (status !== 200) throw new Error(`The sandbox answered ${status}.`);
      });
      if (round >= 0) times[way].push(ms);
    }
  await sandboxes.sleep(wish);
  await checkIntervals(metered, rounds);
  yield {
    name: `${isolation}: wake with metering / without`,
    value: median(times.on) / median(times.off),
    unit: 'x',
    bound: { atMost: 1.03 },
    detail: {
      ...{ rounds, p50Ms: rounded(median(times.on)), withoutP50Ms: rounded(median(times.off)) },
      ...{ p95Ms: rounded(quantile(times.on, 0.95)), withoutP95Ms: rounded(quantile(times.off, 0.95)) },
    },
  };
}

/** Throws when metering was not on in one half of the wakes and off in the other. */
async function checkIntervals(metered: MeteredMachine, rounds: number): Promise<void> {
  await metered.setMetering(true);
  // One for each metered wake, also that of the first round, and one from the creation to the first sleep.
  const expected = rounds + 2;
  await until(async () => (await metered.intervalsOf(wish.name)) >= expected);
  // A sandbox may be woken once more by a request to stop that comes too early.
  const stored = await metered.intervalsOf(wish.name);
  if (stored > expected + rounds / 4)
    throw new Error(`${stored} intervals are stored; ${expected} wakes were metered.`);
}

type Rest = { readonly asleep: number; readonly awake: number; readonly windows: number };

/** Each window is as long as the time between two reports of an open interval. */
const windowMs = 60_000;

async function* rest(
  metered: MeteredMachine,
  isolation: IsolationClass,
  { asleep, awake, windows }: Rest,
): AsyncGenerator<Measure> {
  const { sandboxes } = metered;
  for (let number = 0; number < asleep + awake; number += 1) {
    const one = { name: `resting-${number}`, workspace: 'main', envs: 1 };
    await sandboxes.create(one);
    if (number < asleep) await sandboxes.sleep(one);
  }
  await sandboxes.untilRested();
  // What the runner tells then begins with the first window.
  await metered.setMetering(false);
  await metered.setMetering(true);
  const runner: number[] = [];
  const others: Readonly<Record<string, number>>[] = [];
  for (let window = 0; window < windows; window += 1) {
    const [on, runnerMs] = await cpuMsPerS(metered, true);
    const [off] = await cpuMsPerS(metered, false);
    runner.push(runnerMs);
    others.push(Object.fromEntries(Object.entries(on).map(([name, ms]) => [name, ms - (off[name] ?? 0)])));
  }
  await metered.setMetering(true);
  yield {
    name: `${isolation}: metering of ${asleep} asleep and ${awake} awake, by the runner`,
    value: median(runner),
    unit: 'ms CPU per s',
    // One percent of a core.
    bound: { atMost: 10 },
    detail: { windows: runner.map(rounded).join(' ') },
  };
  // Without a bound: other work of these processes differs by more from one minute to the next.
  for (const name of Object.keys(others[0] ?? {})) {
    const each = others.map((window) => window[name] ?? 0);
    const detail = { windows: each.map(rounded).join(' ') };
    yield { name: `${isolation}: with metering - without, ${name}`, value: median(each), unit: 'ms CPU per s', detail };
  }
}

/** CPU time in one window: of each other process, and of the metering calls of the runner. */
async function cpuMsPerS(
  metered: MeteredMachine,
  isOn: boolean,
): Promise<[others: Readonly<Record<string, number>>, runner: number]> {
  await metered.setMetering(isOn);
  const before: Readonly<Record<string, number>> = metered.cpuUs();
  const startedAt = performance.now();
  await sleep(windowMs);
  const after = Object.entries(metered.cpuUs());
  const spentUs = (await metered.setMetering(!isOn)) ?? 0;
  const ms = performance.now() - startedAt;
  return [Object.fromEntries(after.map(([name, us]) => [name, (us - (before[name] ?? 0)) / ms])), spentUs / ms];
}
