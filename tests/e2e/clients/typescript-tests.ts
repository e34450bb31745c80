// The TypeScript client against a whole deployment: what a program does with a sandbox, and what it must never do when connections
// break.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Berth, type SandboxHandle } from 'berth-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../harness/seeded-random.ts';
import { isFull, seed } from '../../harness/size.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';
import { startCuttingProxy, withoutCuts } from './cutting-proxy.ts';
import { largeMib } from './large-file.ts';
import { type Story, type StorySettings, startStory, steps } from './sandbox-story.ts';
import { openStoryPage, type StoryPage } from './story-page.ts';

const mib = 1024 * 1024;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export function typescriptTests(fleetOf: () => SandboxFleet): void {
  let sandboxes: SandboxFleet;
  let berth: Berth;

  const clientAt = (url: string, gatewayUrl: string, maxTries = 4): Berth =>
    new Berth({ url, key: sandboxes.fleet.key, workspace: 'main', gatewayUrl, maxTries });
  const gatewayUrl = (): string => sandboxes.fleet.gateways[0]?.url ?? '';

  beforeAll(() => {
    sandboxes = fleetOf();
    berth = clientAt(sandboxes.fleet.url, gatewayUrl());
  });

  /** A tenth of its memory is kept of its output. */
  const create = (name: string): Promise<SandboxHandle> =>
    berth.sandboxes.create({ name, image: sandboxes.image, memory: 1_024 });

  const storySettings = (name: string): StorySettings => {
    const { url, key } = sandboxes.fleet;
    return { url, key, gatewayUrl: gatewayUrl(), image: sandboxes.image, name, largeMib };
  };

  describe('a program that uses a sandbox, in Node', () => {
    let story: Story;
    beforeAll(() => {
      story = startStory(storySettings('story-node'));
    });
    test.each(steps)('%s', (step) => story[step]());
  });

  describe('the same in a page of Chromium with another origin', () => {
    let page: StoryPage;
    beforeAll(async () => {
      page = await openStoryPage(storySettings('story-page'));
    });
    afterAll(() => page?.[Symbol.asyncDispose]());
    test.each(steps)('%s', (step) => page.take(step));
  });

  describe('when connections break', () => {
    let box: SandboxHandle;

    beforeAll(async () => {
      box = await create('broken');
    });
    afterAll(() => box?.delete());

    test('output on both streams is exact through kills of the gateway, with one exit code', async () => {
      // Of both streams together 32 MiB are kept.
      const megabytes = isFull ? 10 : 4;
      const lines = Array.from({ length: (megabytes * mib) / 64 }, (_, at) => `${String(at).padStart(62, '.')}\n`);
      const program = `const w = (s, t) => new Promise((r) => s.write(t, r)); (async () => { for (let at = 0; at < ${lines.length}; at += 256) { const text = Array.from({ length: 256 }, (_, i) => String(at + i).padStart(62, '.') + '\\n').join(''); await w(process.stdout, text); await w(process.stderr, text); if (at % 16384 === 0) await new Promise((r) => setTimeout(r, 150)); } while (!require('fs').existsSync('/work/enough')) await new Promise((r) => setTimeout(r, 50)); process.exitCode = 7; })()`;
      await box.files.write('/work/print.cjs', program);
      const expected = sha256(lines.join(''));
      const { process } = sandboxes.fleet.gateways[0] ?? {};
      const running = box.exec('node /work/print.cjs');
      for (let kills = 0; kills < (isFull ? 20 : 3); kills += 1) {
        await sleep(400);
        await process?.kill();
        await sleep(100);
        await process?.start();
      }
      await box.files.write('/work/enough', '');
      const result = await running;
      expect(result.isComplete).toBe(true);
      expect([result.exitCode, sha256(result.stdout), sha256(result.stderr)]).toEqual([7, expected, expected]);
    });

    test(`each create makes one resource and each exec runs once, whatever is cut (seed ${seed})`, async () => {
      const count = isFull ? 3_000 : 100;
      const random = seededRandom(seed);
      await using api = await startCuttingProxy(sandboxes.fleet.url, random);
      await using gateway = await startCuttingProxy(gatewayUrl(), random);
      const cut = clientAt(api.url, gateway.url, 20);
      const far = await cut.sandboxes.get('broken');
      const spec = { type: 'maxToken', maxTokens: { granularity: 'day', total: 1 } } as const;
      const numbers = Array.from({ length: count }, (_, at) => at);
      const waiting = [...numbers];
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
            const body = { metadata: { name: `from-typescript-${number}` }, spec };
            expect((await cut.request('createPolicy', { body })).metadata.name).toBe(`from-typescript-${number}`);
            expect((await far.exec(`echo ${number} >> /tmp/runs`)).exitCode).toBe(0);
          }
        }),
      );
      const names: string[] = [];
      for await (const { metadata } of berth.list('listPolicies', { query: { q: 'from-typescript-' } }))
        names.push(metadata.name);
      expect(names.toSorted()).toEqual(numbers.map((number) => `from-typescript-${number}`).toSorted());
      const runs = (await box.files.readText('/tmp/runs')).trimEnd().split('\n').map(Number);
      expect(runs.toSorted((one, other) => one - other)).toEqual(numbers);
      for (const { cuts } of [api, gateway]) expect(Math.min(cuts.before, cuts.within, cuts.after)).toBeGreaterThan(0);
      console.log(
        `${count} creates and execs; api ${JSON.stringify(api.cuts)}, gateway ${JSON.stringify(gateway.cuts)}`,
      );
    }, 600_000);

    test('commands that follow each other use the same connection', async () => {
      await using gateway = await startCuttingProxy(gatewayUrl(), withoutCuts);
      const far = await clientAt(sandboxes.fleet.url, gateway.url).sandboxes.get('broken');
      for (let at = 0; at < 10; at += 1) expect((await far.exec('true')).exitCode).toBe(0);
      expect(gateway.connections()).toBeLessThanOrEqual(2);
    });

    test('an aborted exec is rejected with its reason, and nothing of it runs on', async () => {
      const count = isFull ? 200 : 60;
      const sockets = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
      const socketsBefore = sockets();
      const leaving = Array.from({ length: count }, () => new AbortController());
      const reasons = await Promise.all(
        leaving.map(async (controller, at) => {
          const running = box.exec('sleep 1000.7', { signal: controller.signal });
          setTimeout(() => controller.abort(new Error(`reason ${at}`)), (at % 20) * 10);
          return running.then(
            () => 'ended',
            (error: Error) => error.message,
          );
        }),
      );
      expect(reasons).toEqual(leaving.map((_, at) => `reason ${at}`));
      const startedAt = performance.now();
      const alive = async () =>
        (await box.exec('grep -lzx 1000[.]7 /proc/[0-9]*/cmdline 2>/dev/null | wc -l')).stdout.trim();
      await expect.poll(alive, { timeout: 30_000 }).toBe('0');
      console.log(`none of ${count} was alive after ${Math.round(performance.now() - startedAt)} ms`);
      // Kept connections end after a few seconds without a request.
      await expect.poll(sockets, { timeout: 30_000 }).toBeLessThanOrEqual(socketsBefore);
    });
  });
}
