// The api is killed under a load of writes. Every acknowledged write is there afterwards, with everything that
// belongs to it; a write that was not acknowledged is there whole or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startDeployment } from '../../engines/deployment.ts';
import { isFull } from '../harness/size.ts';

const kills = isFull ? 30 : 3;
const writers = 8;

interface Acknowledged {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
}

/** Writes until the server is gone; records only writes that were answered with 200. */
async function writeUntilGone(
  address: string,
  key: string,
  round: number,
  writer: number,
  acknowledged: Acknowledged,
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'x-service-workspace': 'main', 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: object) =>
    fetch(`${address}/v0${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    });
  for (let index = 0; index < 10_000; index += 1) {
    const name = `d-${round}-${writer}-${index}`;
    try {
      const put = await send('PUT', `/drives/${name}`, {
        metadata: { labels: { round: String(round) } },
        spec: { size: index },
      });
      if (put.status !== 200) throw new Error(`PUT answered ${put.status}`);
      acknowledged.created.add(name);
      if (index % 4 !== 3) continue;
      const removed = `d-${round}-${writer}-${index - 1}`;
      // From here on the drive may be gone, whether or not the answer arrives.
      acknowledged.created.delete(removed);
      const deleted = await send('DELETE', `/drives/${removed}`);
      if (deleted.status === 200) acknowledged.deleted.add(removed);
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('PUT answered')) throw error;
      return;
    }
  }
}

test(`every acknowledged write is there after ${kills} kills, counters equal rows and the outbox is complete`, async () => {
  await using deployment = await startDeployment('survive', ['main']);
  const acknowledged: Acknowledged = { created: new Set(), deleted: new Set() };
  for (let round = 0; round < kills; round += 1) {
    await using server = await deployment.serve();
    const load = Array.from({ length: writers }, (_, writer) =>
      writeUntilGone(server.address, deployment.key, round, writer, acknowledged),
    );
    // The kill comes in the middle of the load, at a moment that does not depend on a clock.
    const enough = acknowledged.created.size + Math.round(writers * (2 + Math.random() * 8));
    while (acknowledged.created.size < enough) await sleep(5);
    await Promise.all([server.kill(), ...load]);
  }
  expect(acknowledged.created.size).toBeGreaterThan(kills * writers);
  expect(acknowledged.deleted.size).toBeGreaterThan(0);

  const client = new pg.Client({ connectionString: deployment.url });
  await client.connect();
  try {
    const names = async (sql: string): Promise<string[]> =>
      (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);
    const present = new Set(await names("select name from resources where kind = 'drive'"));
    expect([...acknowledged.created].filter((name) => !present.has(name))).toEqual([]);
    expect([...acknowledged.deleted].filter((name) => present.has(name))).toEqual([]);
    const counters = await client.query("select live::int from resource_counts where kind = 'drive'");
    expect(counters.rows).toEqual([{ live: present.size }]);
    expect(
      await names(
        "select name from resources r where kind = 'drive' and not exists (select 1 from outbox o where o.key = r.uid::text)",
      ),
    ).toEqual([]);
    expect(
      await names(
        "select name from resources r where kind = 'drive' and not exists (select 1 from audit_log a where a.target = 'drive/' || r.name)",
      ),
    ).toEqual([]);
    expect(
      await names(`select name from resources r where kind = 'drive' and status is distinct from
        (select e.status from resource_events e where e.resource_uid = r.uid order by e.time desc, e.id desc limit 1)`),
    ).toEqual([]);
    const audited = await client.query<{ target: string }>(
      "select target from audit_log where action = 'drive.delete'",
    );
    const auditedTargets = new Set(audited.rows.map(({ target }) => target));
    expect([...acknowledged.deleted].filter((name) => !auditedTargets.has(`drive/${name}`))).toEqual([]);
  } finally {
    await client.end();
  }
});
