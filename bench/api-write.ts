// Compares the api's writes with the database's cost: PUT of new drives per second beside the same statements in bare
// transactions, at the same concurrency, in turns.
import pg from 'pg';
import { type Deployment, startDeployment } from '../engines/deployment.ts';
import type { ServerProcess } from '../engines/server-process.ts';
import { KeepAliveClient } from '../tests/harness/keep-alive-client.ts';
import type { Bench, Measure } from './bench.ts';
import { putDriveBare } from './support/put-statements.ts';
import { median, rounded, timedMs } from './support/statistics.ts';

const concurrency = 16;

export const apiWrite: Bench = {
  name: 'api-write',
  about: `PUT of new drives, ${concurrency} at a time / the same statements in bare transactions`,
  async *run({ full }) {
    const writes = full ? 3000 : 600;
    const turns = full ? 7 : 3;
    await using database = await startDeployment('api-write', ['ours', 'bare']);
    await using server = await database.serve();
    yield* measure(database, server, writes, turns);
  },
};

async function* measure(
  database: Deployment,
  server: ServerProcess,
  writes: number,
  turns: number,
): AsyncGenerator<Measure> {
  const [, bareWorkspace = ''] = database.workspaceIds;
  const headers = { authorization: `Bearer ${database.key}`, 'x-service-workspace': 'ours' };
  const client = new KeepAliveClient(`${server.address}/v0`, headers, concurrency);
  const pool = new pg.Pool({ connectionString: database.url, max: concurrency, options: '-c timezone=UTC' });
  const body = JSON.stringify({ metadata: { labels: { team: 'bench' } }, spec: { size: 5 } });
  const put = async (name: string): Promise<void> => {
    const { status, text } = await client.send('PUT', `/drives/${name}`, body);
    if (status !== 200) throw new Error(`PUT answered ${status}: ${text}`);
  };
  const bareWith =
    (prepared: boolean) =>
    async (name: string): Promise<void> => {
      const connection = await pool.connect();
      await putDriveBare(connection, prepared, bareWorkspace, database.ownerId, name).finally(() =>
        connection.release(),
      );
    };
  const bare = bareWith(false);
  const barePrepared = bareWith(true);
  try {
    await inParallel(200, (index) => put(`warm-${index}`));
    await inParallel(200, (index) => bare(`warm-${index}`));
    await inParallel(200, (index) => barePrepared(`warm-prepared-${index}`));
    const ways = { ours: put, bare, prepared: barePrepared };
    const perSecond: Record<keyof typeof ways, number[]> = { ours: [], bare: [], prepared: [] };
    for (let turn = 0; turn < turns; turn += 1) {
      for (const way of ['ours', 'bare', 'prepared'] as const) {
        const ms = await timedMs(() => inParallel(writes, (index) => ways[way](`${way}-${turn}-${index}`)));
        perSecond[way].push((writes / ms) * 1000);
      }
    }
    const ours = median(perSecond.ours);
    for (const [name, barePerSecond] of [
      ['PUT drive / bare transaction', median(perSecond.bare)],
      ['PUT drive / bare transaction of prepared statements', median(perSecond.prepared)],
    ] as const) {
      const detail = { perSecond: rounded(ours), barePerSecond: rounded(barePerSecond), turns, writes, concurrency };
      yield { name, value: ours / barePerSecond, unit: 'x', bound: { atLeast: 0.4 }, detail };
    }
  } finally {
    client.close();
    await pool.end();
  }
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
