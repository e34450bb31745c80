// Time to the first byte from a sleeping sandbox, through the gateway, beside a paused container that Docker unpauses.
import { SandboxMachine } from '../tests/harness/sandbox-machine.ts';
import type { Bench } from './bench.ts';
import { startBareWake } from './sandbox/bare-wake.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const most = { runc: 0.8, gvisor: 1.3 } as const;
const wish = { name: 'sleeper', workspace: 'main' };

export const sandboxWake: Bench = {
  name: 'sandbox-wake',
  about: 'first byte through the gateway from a sandbox that sleeps / `docker unpause` and one HTTP call to a guest',
  async *run({ full, isolations }) {
    const rounds = full ? 100 : 20;
    for (const isolation of isolations) {
      await using sandboxes = await SandboxMachine.start({ name: `wake-${isolation}`, isolation, pool: 1 });
      await using bare = await startBareWake(sandboxes.machine, sandboxes.image, isolation);
      await sandboxes.create(wish);
      const ours: number[] = [];
      const bareMs: number[] = [];
      // The first round is not counted, because connections, plans and caches are created in it.
      for (let round = 0; round <= rounds; round += 1) {
        const byHand = await bare.wake();
        await sandboxes.sleep(wish);
        const woken = await timedMs(async () => {
          const { status } = await sandboxes.call(wish, 'GET', '/health');
          if (status !== 200) throw new Error(`The sandbox answered ${status}.`);
        });
        if (round === 0) continue;
        bareMs.push(byHand);
        ours.push(woken);
      }
      const p95 = (values: readonly number[]) => ({ p95: rounded(quantile(values, 0.95)) });
      yield { name: `${isolation}: unpause + call`, value: median(bareMs), unit: 'ms', detail: p95(bareMs) };
      yield { name: `${isolation}: wake through the gateway`, value: median(ours), unit: 'ms', detail: p95(ours) };
      yield {
        name: `${isolation}: wake / unpause + call`,
        value: median(ours) / median(bareMs),
        unit: 'x',
        bound: { atMost: most[isolation] },
      };
    }
  },
};
