// Delete works from every state, also repeated, concurrently, and by deleting the workspace; nothing is left anywhere.
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { Fleet } from '../../../engines/fleet/fleet.ts';
import { leftovers } from '../../harness/leftovers.ts';
import { importScriptImage } from '../../harness/script-image.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { isFull, seed } from '../../harness/size.ts';
import { agent, clientOf, gone, settled } from '../../harness/workloads.ts';

const rounds = isFull ? 60 : 16;
const random = seededRandom(seed);

/** The fleet has a workspace `doomed`, and no workload when these tests begin. */
export function deleteTests(fleetOf: () => Fleet): void {
  let crashing: string;
  beforeAll(async () => {
    crashing = await importScriptImage(fleetOf().machines[0]?.dockerUrl ?? '', 'berth-exit', 'exit 3');
  });

  /** Histories of a resource before its deletion; random pauses vary the state in which the delete arrives. */
  const histories: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    'just written': async (name) => clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2' })),
    'on its way': async (name) => {
      await clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2' }));
      await sleep(random() * 600);
    },
    running: async (name) => {
      await clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2' }));
      await settled(clientOf(fleetOf()), `/agents/${name}`, ['DEPLOYED']);
    },
    'crashing or failed': async (name) => {
      await clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2', image: crashing }));
      await sleep(random() * 2_500);
    },
    'with an image that is nowhere': async (name) => {
      await clientOf(fleetOf()).post(
        '/agents',
        agent(name, { generation: 'mk2', image: `${fleetOf().machines[0]?.outside}:9/nothing:1` }),
      );
      await sleep(random() * 1_500);
    },
    'too large for every machine': async (name) =>
      clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2', memory: 32_768 })),
    'being switched off': async (name) => {
      await clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2' }));
      await sleep(random() * 800);
      await clientOf(fleetOf()).put(`/agents/${name}`, { metadata: {}, spec: { enabled: false } });
      await sleep(random() * 300);
    },
    'between two revisions': async (name) => {
      await clientOf(fleetOf()).post('/agents', agent(name, { generation: 'mk2' }));
      await sleep(random() * 800);
      await clientOf(fleetOf()).put(`/agents/${name}`, agent(name, { generation: 'mk2', env: { NEXT: '1' } }));
      await sleep(random() * 300);
    },
  };

  test(`delete from every state, alone and several at the same time (seed ${seed})`, async () => {
    const ways = Object.entries(histories);
    const work = Array.from({ length: rounds }, async (_, round) => {
      const [way, live] = ways[round % ways.length] ?? [];
      const name = `r${round}`;
      await live?.(name);
      const times = 1 + (round % 3);
      const answers = await Promise.all(
        Array.from({ length: times }, () => clientOf(fleetOf()).delete(`/agents/${name}`)),
      );
      for (const { status } of answers) expect([way, status]).toEqual([way, expect.toBeOneOf([200, 404])]);
      expect(answers.some(({ status }) => status === 200)).toBe(true);
      await gone(clientOf(fleetOf()), `/agents/${name}`, 60_000);
    });
    await Promise.all(work);
    await expect.poll(() => leftovers(fleetOf()), { timeout: 60_000, interval: 500 }).toEqual([]);
  });

  test('deleting a workspace takes everything in it along, whatever state it is in', async () => {
    const client = clientOf(fleetOf(), 'doomed');
    await client.post('/agents', agent('up', { generation: 'mk2' }));
    await settled(client, '/agents/up', ['DEPLOYED']);
    for (let index = 0; index < 5; index += 1)
      await client.post('/agents', agent(`going-${index}`, { generation: 'mk2' }));
    await client.post('/agents', agent('broken', { generation: 'mk2', image: crashing }));
    await client.delete('/agents/up');
    expect((await clientOf(fleetOf()).delete('/workspaces/doomed')).status).toBe(200);
    await expect.poll(() => leftovers(fleetOf()), { timeout: 60_000, interval: 500 }).toEqual([]);
  });
}
