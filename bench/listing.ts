// Checks that listing stays flat: a page costs the same at any position and little more than its SQL, and a search
// finds rare words and pairs of signs among a million drives.
import { get } from 'node:http';
import { bytesPerMb } from '@berth/contract/node';
import pg from 'pg';
import { startDeployment } from '../engines/deployment.ts';
import type { ServerProcess } from '../engines/server-process.ts';
import { KeepAliveClient } from '../tests/harness/keep-alive-client.ts';
import { residentMb } from '../tests/harness/resident-mb.ts';
import type { Bench, Measure } from './bench.ts';
import { pageStatements } from './support/page-statements.ts';
import { seedDrives, withoutSearchIndexes } from './support/seed-drives.ts';
import { median, quantile, rounded, timedMs } from './support/statistics.ts';

const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] as const;
const farPage = 10_000;
const pageLimit = 50;
const rounds = 200;

export const listing: Bench = {
  name: 'listing',
  about: 'GET /drives among a million drives beside a million of other workspaces; the same SQL bare through pg',
  async *run({ full }) {
    const count = full ? 1_000_000 : 50_000;
    await using database = await startDeployment('listing', ['big', 'other']);
    const seededMs = await timedMs(() =>
      withoutSearchIndexes(database.url, async () => {
        for (const workspaceId of database.workspaceIds)
          await seedDrives(database.url, { workspaceId, kind: 'drive', count, createdBy: database.ownerId });
      }),
    );
    yield { name: `seeding 2 × ${count} drives`, value: seededMs / 1000, unit: 's' };
    await using server = await database.serve();
    const headers = {
      authorization: `Bearer ${database.key}`,
      'x-service-workspace': 'big',
      'service-version': '2026-04-28',
    };
    const client = new KeepAliveClient(`${server.address}/v0`, headers, 1);
    const bare = new pg.Client({ connectionString: database.url, options: '-c timezone=UTC' });
    await bare.connect();
    try {
      const far = Math.min(farPage, Math.floor(count / pageLimit) - 1);
      for (const sort of sorts) yield* measureSort(client, bare, database.workspaceIds[0] ?? '', sort, far);
      yield* measureSearch(client);
    } finally {
      client.close();
      await bare.end();
    }
    yield* measureBareArray(server, database.key, count);
  },
};

interface Page {
  readonly data: readonly { readonly metadata: { readonly name: string } }[];
  readonly meta: { readonly nextCursor: string; readonly total: number };
}

async function readPage(client: KeepAliveClient, query: string): Promise<Page> {
  const { status, text } = await client.send('GET', `/drives?${query}`);
  if (status !== 200) throw new Error(`GET /drives?${query} answered ${status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** Walks to the page by cursors, as a client would, in steps as large as possible that end exactly there. */
async function cursorOfPage(client: KeepAliveClient, sort: string, page: number): Promise<string> {
  let cursor = '';
  let left = (page - 1) * pageLimit;
  while (left > 0) {
    const step = Math.min(200, left);
    const { meta } = await readPage(
      client,
      `sort=${sort}&limit=${step}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    cursor = meta.nextCursor;
    left -= step;
  }
  return cursor;
}

async function* measureSort(
  client: KeepAliveClient,
  bare: pg.Client,
  workspaceId: string,
  sort: string,
  far: number,
): AsyncGenerator<Measure> {
  const cursor = await cursorOfPage(client, sort, far);
  const first = `sort=${sort}&limit=${pageLimit}`;
  const distant = `${first}&cursor=${encodeURIComponent(cursor)}`;
  const sql = pageStatements(workspaceId, sort);
  const ours: number[] = [];
  const away: number[] = [];
  const plain: number[] = [];
  // In turns, so that other load on the machine affects all three alike.
  for (let round = -20; round < rounds; round += 1) {
    const times = [
      await timedMs(() => readPage(client, first)),
      await timedMs(() => readPage(client, distant)),
      await timedMs(() => sql.run(bare)),
    ];
    if (round < 0) continue;
    for (const [index, list] of [ours, away, plain].entries()) list.push(times[index] ?? Number.NaN);
  }
  yield {
    name: `${sort}, page ${far} / page 1`,
    value: median(away) / median(ours),
    unit: 'x',
    bound: { atMost: 1.5 },
    detail: { page1Ms: rounded(median(ours)), farMs: rounded(median(away)) },
  };
  yield {
    name: `${sort}, page / its SQL bare`,
    value: median(ours) / median(plain),
    unit: 'x',
    bound: { atMost: 2 },
    detail: { pageMs: rounded(median(ours)), bareMs: rounded(median(plain)) },
  };
}

interface Search {
  readonly about: string;
  readonly q: string;
  readonly share: number;
  readonly atMost: number;
}

const searches: readonly Search[] = [
  { about: 'a rare word', q: 'zephyrine', share: 0.5, atMost: 50 },
  { about: 'a rare word that is nowhere', q: 'xylophone', share: 0.5, atMost: 50 },
  { about: 'two characters, rare', q: '-z', share: 0.95, atMost: 200 },
  { about: 'two characters, in three of a hundred', q: 'e9', share: 0.95, atMost: 200 },
  { about: 'two characters, in every name', q: 'dr', share: 0.95, atMost: 200 },
  { about: 'two characters that are nowhere', q: 'zz', share: 0.95, atMost: 200 },
  { about: 'signs only', q: '%_', share: 0.95, atMost: 200 },
  { about: 'signs that are nowhere', q: '__', share: 0.95, atMost: 200 },
];

async function* measureSearch(client: KeepAliveClient): AsyncGenerator<Measure> {
  for (const { about, q, share, atMost } of searches) {
    const times: number[] = [];
    let found = 0;
    for (let round = 0; round < 60; round += 1) {
      times.push(
        await timedMs(async () => {
          found = (await readPage(client, `q=${encodeURIComponent(q)}`)).data.length;
        }),
      );
    }
    yield {
      name: `q=${q} (${about}), p${share * 100}`,
      value: quantile(times, share),
      unit: 'ms',
      bound: { atMost },
      detail: { found, p50: rounded(median(times)), max: rounded(Math.max(...times)) },
    };
  }
}

/** The answer of older API versions: the whole list in one array. Memory is read while it streams. */
async function* measureBareArray(server: ServerProcess, key: string, count: number): AsyncGenerator<Measure> {
  const before = await residentMb(server.pid);
  let most = before;
  const startedAt = performance.now();
  const watch = setInterval(() => {
    residentMb(server.pid).then(
      (now) => {
        most = Math.max(most, now);
      },
      () => {},
    );
  }, 200);
  const names = await countNames(`${server.address}/v0/drives`, {
    authorization: `Bearer ${key}`,
    'x-service-workspace': 'big',
  });
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1000;
  yield {
    name: 'bare array, items missing',
    value: count - names.items,
    unit: 'x',
    bound: { atMost: 0 },
    detail: { items: names.items, MiB: rounded(names.bytes / bytesPerMb), seconds: rounded(seconds) },
  };
  yield {
    name: 'bare array, memory above before',
    value: most - before,
    unit: 'MiB',
    bound: { atMost: 128 },
    detail: { before: rounded(before), most: rounded(most) },
  };
}

function countNames(url: string, headers: Readonly<Record<string, string>>): Promise<{ items: number; bytes: number }> {
  const mark = Buffer.from('"infrastructureId"');
  return new Promise((done, failed) => {
    get(url, { headers }, (response) => {
      let items = 0;
      let bytes = 0;
      let rest = Buffer.alloc(0);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const text = Buffer.concat([rest, chunk]);
        let at = text.indexOf(mark);
        let end = 0;
        for (; at >= 0; at = text.indexOf(mark, end)) {
          items += 1;
          end = at + mark.length;
        }
        rest = text.subarray(Math.max(end, text.length - mark.length + 1));
      });
      response.on('end', () => done({ items, bytes }));
      response.on('error', failed);
    }).on('error', failed);
  });
}
