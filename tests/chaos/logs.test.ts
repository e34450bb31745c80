// Many containers write numbered lines while the runner and ClickHouse are killed: each line is stored once, in order.
// Full size only. The small size proves the parts: a restarted runner keeps the numbers of its lines
// (output-shipper.test.ts), ClickHouse keeps one of two lines with the same number (packages/usage/test/logs.test.ts),
// no acknowledged line is lost while ClickHouse is away (services/api/test/observability.test.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { startFleet } from '../../engines/fleet/fleet.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { isFull } from '../harness/size.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';

const containers = 10;
const lines = 10_000;
const kills = 10;

/**
 * Program of each container: it writes its lines in bursts, so that kills fall in between, and answers requests
 * meanwhile.
 */
const script = `httpd -p 8080 -h /www
i=0
while [ $i -lt ${lines} ]; do
  echo "line $i"
  i=$((i+1))
  [ $((i % ${Math.ceil(lines / 20)})) -eq 0 ] && sleep 0.7
done
exec sleep 100000`;

test(`${containers * lines} lines of ${containers} containers are stored once and in order, through ${2 * kills} kills`, {
  timeout: 600_000,
  skip: !isFull,
}, async () => {
  await using fleet = await startFleet({ name: 'logs', workspaces: ['main'], machines: 1 });
  const [machine] = fleet.machines;
  if (machine === undefined) throw new Error('no machine');
  const image = await importScriptImage(machine.dockerUrl, 'berth-lines', script);
  const client = clientOf(fleet);
  const names = Array.from({ length: containers }, (_, index) => `talker-${index}`);
  for (const name of names) await client.post('/agents', agent(name, { generation: 'mk2', image }));
  for (let round = 0; round < kills; round += 1) {
    await sleep(400 + Math.random() * 800);
    await machine.runner.kill();
    await machine.runner.start();
    await sleep(200 + Math.random() * 500);
    await fleet.clickhouse.kill();
    await sleep(Math.random() * 500);
    await fleet.clickhouse.start();
  }
  for (const name of names) await settled(client, `/agents/${name}`, ['DEPLOYED']);

  const ledger = createClient({ url: fleet.clickhouse.url });
  const stored = async (): Promise<number> => {
    const result = await ledger.query({
      query: 'select count() as n from (select distinct instance_id, sequence from logs)',
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ n: string | number }>();
    return Number(row?.n ?? 0);
  };
  await expect.poll(stored, { timeout: 60_000, interval: 500 }).toBe(containers * lines);
  const result = await ledger.query({
    query: 'select workload, instance_id, text from logs final order by workload, instance_id, sequence',
    format: 'JSONEachRow',
  });
  const rows = await result.json<{ workload: string; instance_id: string; text: string }>();
  await ledger.close();
  const expected = Array.from({ length: lines }, (_, index) => `line ${index}`);
  for (const name of names) {
    const own = rows.filter(({ workload }) => workload === name);
    expect(new Set(own.map(({ instance_id }) => instance_id)).size).toBe(1);
    expect(own.map(({ text }) => text)).toEqual(expected);
  }

  const end = new Date(Date.now() + 60_000).toISOString().slice(0, 19);
  const { body } = await client.get('/observability/logs', {
    query: { resourceType: 'agents', workloadIds: 'talker-0', limit: 3, end },
  });
  expect(JSON.stringify(body)).toContain(`line ${lines - 1}`);
});
