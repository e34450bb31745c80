// Overhead of the durable port beside bare Restate: the same engine, the same process, a handler that does nothing.

import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, migrate } from '@berth/database';
import { createSender, defineHandler, type Sender, startHandlers, startRelay } from '@berth/durable';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { z } from 'zod';
import { postgres } from '../engines/postgres.ts';
import { type RunningRestate, restate } from '../engines/restate.ts';
import { runFolder } from '../engines/run.ts';
import type { Bench, Measure } from './bench.ts';
import { Arrivals, type BareRestate, inParallel, serveBare } from './support/bare-restate.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const logger = createLogger({ role: 'bench' }, { level: 'silent' });
const concurrency = 32;

export const durable: Bench = {
  name: 'durable',
  about: 'a message sent and handled through the port / through bare Restate',
  async *run({ full }) {
    const rounds = full ? 500 : 100;
    const many = full ? 5_000 : 1_000;
    const folder = await runFolder('durable');
    const engine = await restate.start({ dataFolder: `${folder}/restate` });
    const store = await postgres.start({ dataFolder: `${folder}/postgres` });
    try {
      const arrivals = new Arrivals();
      const bare = await serveBare(engine, arrivals);
      const ours = await serveOurs(engine, arrivals);
      yield* measureLatency(bare, ours, arrivals, rounds);
      const barePerSecond: number[] = [];
      yield* measureThroughput(bare, ours, arrivals, many, barePerSecond);
      yield* measureRelay(store.url, ours.sender, arrivals, many, median(barePerSecond));
      await Promise.all([bare.stop(), ours.stop()]);
    } finally {
      await Promise.all([engine.stop(), store.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Side {
  /** Resolves when Restate has accepted the message. */
  send(key: string): Promise<void>;
  stop(): Promise<void>;
}

async function serveOurs(engine: RunningRestate, arrivals: Arrivals): Promise<Side & { sender: Sender }> {
  const probe = defineHandler({ name: 'reconcile', input: z.object({}), handle: async () => arrivals.arrived() });
  const running = await startHandlers({ handlers: [probe], adminUrl: engine.adminUrl, port: 0, logger });
  const sender = createSender({ ingressUrl: engine.ingressUrl, concurrency });
  return { sender, send: (key) => sender.send(probe, key, {}), stop: () => running.stop() };
}

async function* measureLatency(
  bare: BareRestate,
  ours: Side,
  arrivals: Arrivals,
  rounds: number,
): AsyncGenerator<Measure> {
  const times: { bare: number[]; ours: number[]; call: number[] } = { bare: [], ours: [], call: [] };
  const handled = async (side: Side, key: string): Promise<number> => {
    // A message counts as handled before Restate has recorded its end; that work must not delay the next message.
    await sleep(20);
    return timedMs(() => Promise.all([arrivals.expect(1), side.send(key)]));
  };
  for (let round = -20; round < rounds; round += 1) {
    const key = `latency-${round}`;
    const [plain, port] = [await handled(bare, key), await handled(ours, key)];
    await sleep(20);
    const call = await timedMs(() => bare.call(key));
    if (round < 0) continue;
    times.bare.push(plain);
    times.ours.push(port);
    times.call.push(call);
  }
  yield {
    name: 'sent and handled, p50 / bare',
    value: median(times.ours) / median(times.bare),
    unit: 'x',
    bound: { atMost: 3 },
    detail: {
      oursMs: rounded(median(times.ours)),
      oursP95Ms: rounded(quantile(times.ours, 0.95)),
      bareMs: rounded(median(times.bare)),
      bareCallMs: rounded(median(times.call)),
    },
  };
}

async function* measureThroughput(
  bare: Side,
  ours: Side,
  arrivals: Arrivals,
  many: number,
  barePerSecond: number[],
): AsyncGenerator<Measure> {
  const perSecond = async (side: Side, turn: number): Promise<number> => {
    const seconds =
      (await timedMs(() =>
        Promise.all([
          arrivals.expect(many),
          inParallel(many, concurrency, (index) => side.send(`turn-${turn}-${index}`)),
        ]),
      )) / 1000;
    return many / seconds;
  };
  const oursPerSecond: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    oursPerSecond.push(await perSecond(ours, turn));
    barePerSecond.push(await perSecond(bare, turn));
  }
  yield {
    name: `handled per second, ${concurrency} at a time / bare`,
    value: median(oursPerSecond) / median(barePerSecond),
    unit: 'x',
    bound: { atLeast: 0.3 },
    detail: { perSecond: rounded(median(oursPerSecond)), barePerSecond: rounded(median(barePerSecond)), many },
  };
}

async function* measureRelay(
  url: string,
  sender: Sender,
  arrivals: Arrivals,
  many: number,
  barePerSecond: number,
): AsyncGenerator<Measure> {
  await migrate(url);
  const database = connect({ url, maxConnections: 4 });
  await sql`insert into outbox (topic, key) select 'reconcile', 'relay-' || n from generate_series(1, ${many}::int) n`.execute(
    database,
  );
  const arrived = arrivals.expect(many);
  const startedAt = performance.now();
  const relay = startRelay({ database, databaseUrl: url, sender, logger });
  await arrived;
  const perSecond = (many / (performance.now() - startedAt)) * 1000;
  await relay.stop();
  await database.destroy();
  yield {
    name: 'rows of the outbox handled per second / bare sends',
    value: perSecond / barePerSecond,
    unit: 'x',
    bound: { atLeast: 0.2 },
    detail: { perSecond: rounded(perSecond), many },
  };
}
