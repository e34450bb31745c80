// Time from the create of a sandbox to its first finished command, beside Docker alone with
// a container of the same image.
import { SandboxMachine, type Wish } from '../tests/harness/sandbox-machine.ts';
import type { Bench, Measure } from './bench.ts';
import { openBareSandboxes } from './sandbox/bare-containers.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const pool = 32;
const workspaces = ['first', 'second', 'third', 'fourth'] as const;

export const sandbox: Bench = {
  name: 'sandbox',
  about:
    'POST /sandboxes until the first command has run, from a pool / bare Docker create and start of the same image',
  async *run({ full, isolations }) {
    for (const isolation of isolations) {
      // Overcommit admits a hundred sandboxes of 4 GiB at once, since they do not use that memory.
      const settings = { BERTH_PLACEMENT_SANDBOXES_OVERCOMMIT: '64' };
      await using sandboxes = await SandboxMachine.start({
        name: `sandbox-${isolation}`,
        isolation,
        pool,
        workspaces,
        settings,
      });
      const bounds = isolation === 'runc';
      const bare = await openBareSandboxes(sandboxes.machine, sandboxes.image, isolation);
      const bareMs = [];
      for (let round = 0; round < 5; round += 1) bareMs.push(await bare.bringUp());
      yield { name: `${isolation}: bare create + start`, value: median(bareMs), unit: 'ms' };
      const born = new Births(sandboxes);
      // The first create is not counted, because connections, plans and caches are created in it.
      await born.one();
      await sandboxes.untilRested();
      const alone = [];
      for (let round = 0; round < (full ? 200 : 40); round += 1) {
        alone.push(await born.one());
        // One after the other, as fast as the pool is refilled.
        await sandboxes.untilRested();
      }
      yield* figures(`${isolation}: alone`, alone, bounds ? { p50: 60, p99: 250 } : {});
      yield { name: `${isolation}: alone / bare`, value: median(alone) / median(bareMs), unit: 'x' };
      const parallel = [];
      for (let round = 0; round < (full ? 11 : 4); round += 1) {
        parallel.push(await born.together(20));
        await born.removeAll();
        await sandboxes.untilRested();
      }
      const [first = [], ...later] = parallel;
      // The first round is shown apart, because twenty database connections, each with its plans, are created in it.
      yield* figures(`${isolation}: 20 in parallel for the first time`, first, {});
      yield* figures(`${isolation}: 20 in parallel, pool of ${pool}`, later.flat(), bounds ? { p99: 600 } : {});
      yield* figures(`${isolation}: 100 at once, pool of ${pool}`, await born.together(100), {});
      await born.removeAll();
      await sandboxes.untilRested();
      yield* figures(`${isolation}: pool drained`, await drained(sandboxes, born, full ? 10 : 3), {});
    }
  },
};

/** With an empty pool every create is a cold start. */
async function drained(sandboxes: SandboxMachine, born: Births, rounds: number): Promise<number[]> {
  await sandboxes.fleet.database.updateTable('runners').set({ warm: '[]' }).execute();
  await born.together(pool);
  const cold = [];
  for (let round = 0; round < rounds; round += 1) cold.push(await born.one());
  await born.removeAll();
  return cold;
}

class Births {
  readonly #sandboxes: SandboxMachine;
  #count = 0;
  #kept: Wish[] = [];

  constructor(sandboxes: SandboxMachine) {
    this.#sandboxes = sandboxes;
  }

  /** Milliseconds of the create and the command; the removal is not counted. */
  async one(isRemoved = true): Promise<number> {
    const at = this.#count;
    this.#count += 1;
    const wish = { name: `born-${at}`, workspace: workspaces[at % workspaces.length] ?? 'first' };
    const ms = await timedMs(async () => {
      await this.#sandboxes.create(wish);
      const said = await this.#sandboxes.exec(wish, 'echo "$VARIABLE_3"');
      if (said !== `value 3 of ${wish.name}\n`) throw new Error(`It said ${said}.`);
    });
    if (isRemoved) await this.#sandboxes.remove(wish);
    else this.#kept.push(wish);
    return ms;
  }

  /** The sandboxes are kept, because removals at the same time would distort the figures of the creates. */
  together(count: number): Promise<number[]> {
    return Promise.all(Array.from({ length: count }, () => this.one(false)));
  }

  async removeAll(): Promise<void> {
    await Promise.all(this.#kept.map((wish) => this.#sandboxes.remove(wish)));
    this.#kept = [];
  }
}

function* figures(name: string, values: readonly number[], most: { p50?: number; p99?: number }): Generator<Measure> {
  for (const [share, key] of [
    [0.5, 'p50'],
    [0.99, 'p99'],
  ] as const) {
    const atMost = most[key];
    yield {
      name: `${name}, ${key}`,
      value: quantile(values, share),
      unit: 'ms',
      ...(atMost === undefined ? {} : { bound: { atMost } }),
      detail: { count: values.length, max: rounded(Math.max(...values)) },
    };
  }
}
