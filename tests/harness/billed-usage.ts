// What the account of a fleet was billed for, once its runners have sent everything.
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Fleet } from '../../engines/fleet/fleet.ts';
import { clientOf } from './workloads.ts';

const hour = 3_600_000;

/** Milliseconds that a resource with this memory was billed for, within an hour from now. */
export async function billedMs(fleet: Fleet, name: string, memoryMb: number): Promise<number> {
  const client = clientOf(fleet);
  const accountId = (await client.get('/accounts')).body[0].id;
  const [startTime, endTime] = [-hour, hour].map((ms) => new Date(Date.now() + ms).toISOString());
  const query = `startTime=${startTime}&endTime=${endTime}&groupBy=billing_dimension&resourceName=${name}`;
  const { status, body, text } = await client.get(`/accounts/${accountId}/metrics?${query}`);
  expect([status, status === 200 || text]).toEqual([200, true]);
  return ((body.summary.totalUsage ?? 0) / (memoryMb / 1_024)) * 1_000;
}

/** All instances that the resource ever had, once their runner has sent all usage of them. */
export async function meteredInstances(fleet: Fleet, name: string): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ id: string; isMetered: boolean }>`
      select id, metered_at is not null as "isMetered" from instances
      where spec #>> '{resource,name}' = ${name}`.execute(fleet.database);
    return rows;
  };
  await expect.poll(async () => (await read()).filter(({ isMetered }) => !isMetered), { timeout: 120_000 }).toEqual([]);
  return (await read()).map(({ id }) => id);
}
