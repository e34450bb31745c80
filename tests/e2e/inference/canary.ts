// Two revisions at once: each gets its share of the requests, and a client with a sticky cookie stays on its revision.

import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { isFull } from '../../harness/size.ts';
import { agent, clientOf, settled } from '../../harness/workloads.ts';
import { callerTo } from './caller.ts';
import { echo, type Site } from './site.ts';

const target = '/main/agents/split';
const percent = 10;
const calls = isFull ? 10_000 : 800;
/**
 * Tolerance in percentage points. The full size allows 1, which is 3.3 standard deviations of a fair draw: chance alone
 * exceeds it once in 1 100 runs. The small size allows 5.2 standard deviations, which chance exceeds once in five
 * million.
 */
const tolerance = isFull ? 1 : 5.2 * 100 * Math.sqrt((0.1 * 0.9) / calls);

/** Deploys an agent with two revisions. */
export async function prepareCanary({ fleet }: Site): Promise<void> {
  const client = clientOf(fleet);
  for (const WORD of ['active', 'canary']) {
    const wanted = agent('split', { ...echo, env: { WORD } });
    await (WORD === 'active' ? client.post('/agents', wanted) : client.put('/agents/split', wanted));
    await settled(client, '/agents/split', ['DEPLOYED']);
  }
}

export function canaryTests(site: () => Site): void {
  const agents = new Agent({ keepAlive: true, maxSockets: 32 });
  let revisions: { active: string; canary: string };

  beforeAll(async () => {
    const { body } = await clientOf(site().fleet).get('/agents/split/revisions');
    const [newest, first] = body.map(({ id }: { id: string }) => id);
    revisions = { active: first, canary: newest };
    return () => agents.destroy();
  });

  /**
   * Sets the shares and waits until both revisions answer: the share of a revision without an instance goes to the
   * other.
   */
  async function share(canaryPercent: number, stickySessionTtl: number): Promise<void> {
    const client = clientOf(site().fleet);
    const revision = { ...revisions, canaryPercent, stickySessionTtl };
    await client.put('/agents/split', { metadata: {}, spec: { revision } });
    await settled(client, '/agents/split', ['DEPLOYED']);
    await expect
      .poll(async () => new Set(await Promise.all(Array.from({ length: 100 }, async () => (await call()).word))).size, {
        timeout: 20_000,
        interval: 500,
      })
      .toBe(2);
  }

  async function call(cookie?: string): Promise<{ word: string; cookie: string | undefined }> {
    const headers = { authorization: `Bearer ${site().fleet.key}`, ...(cookie === undefined ? {} : { cookie }) };
    const [incoming]: IncomingMessage[] = await once(
      get(`${site().url}${target}`, { headers, agent: agents }),
      'response',
    );
    if (incoming?.statusCode !== 200) throw new Error(`answered ${incoming?.statusCode}`);
    const { word } = JSON.parse(await text(incoming));
    return { word, cookie: incoming.headers['set-cookie']?.[0]?.split(';')[0] };
  }

  test('clients with a cookie never switch', async () => {
    await share(50, 600);
    const words = await Promise.all(
      Array.from({ length: isFull ? 100 : 40 }, async () => {
        const met = new Set<string>();
        let cookie: string | undefined;
        for (let round = 0; round < (isFull ? 20 : 10); round += 1) {
          const answer = await call(cookie);
          met.add(answer.word);
          cookie = answer.cookie ?? cookie;
        }
        return [...met].sort().join();
      }),
    );
    expect(new Set(words)).toEqual(new Set(['active', 'canary']));
  });

  test('the cookie is for https alone when it was given there', async () => {
    const { secure, fleet } = site();
    const { headers } = await callerTo({ ...secure, key: fleet.key })(target);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^service_revision=.+; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const plain = await site().call(target);
    expect(plain.headers['set-cookie']).toEqual([expect.not.stringContaining('Secure')]);
  });

  test(`${percent} % of ${calls} calls are the canary's`, async () => {
    await share(percent, 0);
    const counted = { active: 0, canary: 0 } as Record<string, number>;
    let left = calls;
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left > 0) {
          left -= 1;
          const { word, cookie } = await call();
          expect(cookie).toBeUndefined();
          counted[word] = (counted[word] ?? 0) + 1;
        }
      }),
    );
    const found = (100 * (counted.canary ?? 0)) / calls;
    console.log(`${found.toFixed(2)} % of ${calls} calls; ${percent} ± ${tolerance.toFixed(2)} are fair`);
    expect((counted.active ?? 0) + (counted.canary ?? 0)).toBe(calls);
    expect(Math.abs(found - percent)).toBeLessThanOrEqual(tolerance);
  });
}
