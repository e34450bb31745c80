// Hostile input at a gateway with two tenants behind it: no answer holds data of the other tenant, no caller gets
// another identity, the gateway stays up, and every failure names its origin, platform or workload.

import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Client } from '../../../harness/client.ts';
import { heapSize } from '../../../harness/heap-size.ts';
import { seededRandom } from '../../../harness/seeded-random.ts';
import { isFull, seed } from '../../../harness/size.ts';
import { addAccount } from '../../../harness/tenant.ts';
import { agent, clientOf, settled } from '../../../harness/workloads.ts';
import { callerTo } from '../caller.ts';
import { echo, type Site } from '../site.ts';
import { addressShapes } from './address-shapes.ts';
import { diceOf } from './dice.ts';
import { framingShapes } from './framing-shapes.ts';
import { judgeAnswers } from './judge-answers.ts';
import type { Attack, Tenant } from './request-text.ts';
import { sendRaw } from './send-raw.ts';
import { streamShapes } from './stream-shapes.ts';

/**
 * Sent in two equal batches: the first warms the gateway up, the second measures the memory that a connection leaves.
 */
const requests = isFull ? 50_000 : 600;
const concurrency = 32;
const maxBytesEach = 10 * 1024;
const shapes = Object.entries({ ...framingShapes, ...addressShapes, ...streamShapes });

interface Side extends Tenant {
  readonly key: string;
  readonly word: string;
}

export type Sides = readonly [Side, Side];

/** The agents have the same name, so that only the workspace distinguishes them. */
async function prepareSide(client: Client, side: { workspace: string; key: string }): Promise<Side> {
  const word = `word-${randomBytes(12).toString('hex')}`;
  await client.post('/agents', agent('guarded', { ...echo, env: { WORD: word } }));
  const { metadata } = await settled(client, '/agents/guarded', ['DEPLOYED']);
  return { ...side, word, host: new URL(metadata.url).host };
}

export async function prepareHostile({ fleet }: Site): Promise<Sides> {
  const rival = await addAccount({ database: fleet.database, admin: clientOf(fleet) }, 'rival');
  return Promise.all([
    prepareSide(clientOf(fleet), { workspace: 'main', key: fleet.key }),
    prepareSide(rival.client, { workspace: rival.workspace, key: rival.key }),
  ]);
}

export function hostileTests(siteOf: () => Site, sidesOf: () => Sides): void {
  const openFiles = async (): Promise<number> => (await readdir(`/proc/${siteOf().guarded.process.pid}/fd`)).length;

  async function eachAnswersItsOwn(): Promise<void> {
    for (const { workspace, key, word, host } of sidesOf()) {
      const call = callerTo({ url: siteOf().guarded.url, key });
      expect(await call(`/${workspace}/agents/guarded`)).toMatchObject({ status: 200, body: { word } });
      expect(await call('/', { headers: { host } })).toMatchObject({ status: 200, body: { word } });
    }
  }

  /** One of the connections, derived from its number alone: a number that fails can be repeated by itself. */
  async function attackOnce(number: number) {
    const dice = diceOf(seededRandom(seed + number));
    const [one, two] = sidesOf();
    const [own, other] = dice.chance(0.5) ? [one, two] : [two, one];
    const isKnown = dice.chance(0.8);
    const nonce = `nonce-${number.toString(16)}-`;
    const credential = isKnown
      ? [`Authorization: Bearer ${own.key}`]
      : dice.pick<string[]>([[], ['Authorization: Bearer service_wrong']]);
    const attack: Attack = { own, other, credential, nonce, dice };
    const [shape, write] = shapes[dice.below(shapes.length)] ?? shapes[0] ?? [];
    const bytes = Buffer.from(write?.(attack) ?? '', 'latin1');
    const cutAt = dice.chance(0.2) ? dice.below(bytes.length) : undefined;
    const { port } = new URL(siteOf().guarded.url);
    const answered = await sendRaw(Number(port), bytes, cutAt);
    const foreignWords = isKnown ? [other.word] : [own.word, other.word];
    return { shape, bytes, ...judgeAnswers(answered, { foreignWords, workspace: own.workspace, sent: bytes }) };
  }

  test(`${requests} hostile connections, seed ${seed}`, { timeout: 1_800_000 }, async () => {
    const { process: gateway } = siteOf().guarded;
    const { pid } = gateway;
    await eachAnswersItsOwn();
    const filesBefore = await openFiles();
    let next = 0;
    const found: string[] = [];
    const counts = new Map<string, number>();
    const attackUpTo = async (last: number): Promise<void> => {
      const attackers = Array.from({ length: concurrency }, async () => {
        while (next < last && found.length < 20) {
          const number = next++;
          const { shape, bytes, statuses, codes, faults } = await attackOnce(number);
          const named = codes.map((code) => (/UNAVAILABLE|LOST|TIMEOUT/.test(code) ? `${code} at ${shape}` : code));
          for (const key of [...statuses.map(String), ...named, ...(statuses.length === 0 ? ['no answer'] : [])])
            counts.set(key, (counts.get(key) ?? 0) + 1);
          for (const fault of faults)
            found.push(`${number} ${shape}: ${fault}\n${JSON.stringify(bytes.subarray(0, 600).toString('latin1'))}`);
        }
      });
      await Promise.all(attackers);
      // Connections that were abandoned midway are closed soon after, on both sides of the gateway.
      await expect.poll(openFiles, { timeout: 60_000, interval: 500 }).toBeLessThan(filesBefore + concurrency);
    };
    await attackUpTo(requests / 2);
    const before = await heapSize(siteOf().guarded.inspectorPort);
    await attackUpTo(requests);
    const bytesEach = ((await heapSize(siteOf().guarded.inspectorPort)) - before) / (requests / 2);
    const figures = [...counts].sort().map(([key, count]) => `${key} ${count}`);
    console.log(
      `seed ${seed}: ${next} connections, the gateway kept ${bytesEach.toFixed(0)} bytes of each: ${figures.join(', ')}`,
    );
    // The gateway's log has the details of a failure that the client does not get.
    expect(found, await gateway.linesWith('"status":503')).toEqual([]);
    expect([gateway.isRunning, gateway.pid]).toEqual([true, pid]);
    expect(bytesEach).toBeLessThan(maxBytesEach);
    // Most shapes are refused. Without enough answers of each status, nothing would have been tried behind the gateway.
    expect(counts.get('200') ?? 0).toBeGreaterThan(requests / 20);
    expect(counts.get('400') ?? 0).toBeGreaterThan(requests / 20);
    await eachAnswersItsOwn();
  });
}
