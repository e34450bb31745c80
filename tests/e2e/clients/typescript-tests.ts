// The TypeScript client against a whole deployment: what a program does with a sandbox, and what it must never do when connections
// break.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Berth, ExitError, NotFoundError, type SandboxHandle } from 'berth-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../harness/seeded-random.ts';
import { isFull, seed } from '../../harness/size.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';
import { startCuttingProxy, withoutCuts } from './cutting-proxy.ts';

const mib = 1024 * 1024;
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

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
  const create = (name: string, ports: readonly number[] = []): Promise<SandboxHandle> =>
    berth.sandboxes.create({ name, image: sandboxes.image, memory: 1_024, ports, env: { GREETING: 'hi' } });

  describe('a sandbox', () => {
    let box: SandboxHandle;

    beforeAll(async () => {
      box = await create('story', [3000]);
    });

    test('runs commands, whose output arrives as it is written and as a whole', async () => {
      const heard: string[] = [];
      const result = await box.exec('echo "$GREETING"; pwd; echo später >&2; exit 3', {
        ...{ cwd: '/tmp', onStdout: (text) => heard.push(text), onStderr: (text) => heard.push(text) },
      });
      expect(result).toMatchObject({ exitCode: 3, stdout: 'hi\n/tmp\n', stderr: 'später\n' });
      expect(heard.join('')).toContain('später\n');
      expect((await box.exec('cat', { input: 'given\n' })).stdout).toBe('given\n');
      expect((await box.exec('exec 0<&-; sleep 0.2; echo read nothing', { input: 'x'.repeat(1_000_000) })).stdout).toBe(
        'read nothing\n',
      );
    });

    test('an exit code is an error only where it is asked for', async () => {
      const failing = box.exec('echo reason >&2; exit 4', { check: true });
      await expect(failing).rejects.toThrow(ExitError);
      await expect(failing).rejects.toThrow('ended with exit code 4.\nreason');
    });

    test('keeps files, small and large, byte for byte', async () => {
      await box.files.write('/work/a b/ä%?.txt', 'text');
      expect(await box.files.readText('/work/a b/ä%?.txt')).toBe('text');
      const { files } = await box.files.list('/work/a b');
      expect(files.map(({ name }) => name)).toEqual(['ä%?.txt']);
      const large = randomBytes(64 * mib);
      const progress: number[] = [];
      await box.files.write('/work/large', new Uint8Array(large), { onProgress: (bytes) => progress.push(bytes) });
      expect(progress.at(-1)).toBe(large.length);
      expect((await box.exec('sha256sum /work/large')).stdout).toContain(sha256(large));
      expect(sha256(await box.files.read('/work/large'))).toBe(sha256(large));
      await box.files.remove('/work/large');
      await expect(box.files.read('/work/large')).rejects.toThrow(NotFoundError);
    });

    test('tells changes of a folder', async () => {
      await box.files.makeFolder('/work/watched');
      const leaving = new AbortController();
      const seen = (async () => {
        // A file is written under another name first.
        for await (const event of box.files.watch('/work/watched', { signal: leaving.signal }))
          if (/^\d+$/.test(event.name)) return event.name;
        return undefined;
      })();
      // The watch begins some time after it is asked for.
      for (let at = 0; at < 20; at += 1) {
        await box.files.write(`/work/watched/${at}`, 'x');
        await sleep(50);
      }
      expect(await seen).toMatch(/^\d+$/);
      leaving.abort();
    });

    test('has a terminal', async () => {
      let shown = '';
      using terminal = await box.terminal({ cols: 120, rows: 40, onOutput: (text) => (shown += text) });
      terminal.write('echo $((40 + 2))\n');
      await expect.poll(() => shown, { timeout: 15_000 }).toContain('42');
      terminal.resize(100, 30);
      terminal.write('stty size\n');
      await expect.poll(() => shown, { timeout: 15_000 }).toContain('30 100');
      terminal.close();
      await terminal.closed;
    });

    test('serves ports, with the key and through a preview', async () => {
      const program = `require('http').createServer((q, s) => s.end('port ' + q.url)).listen(3000, '0.0.0.0')`;
      const server = await box.spawn(`node -e "${program}"`, { name: 'web', keepAlive: true });
      const headers = { authorization: `Bearer ${sandboxes.fleet.key}` };
      const address = `${await box.port(3000)}/x`;
      await expect
        .poll(async () => (await fetch(address, { headers })).text().catch(String), { timeout: 20_000 })
        .toBe('port /x');
      const preview = await box.previews.create('open', { port: 3000, public: true });
      expect(preview.spec.url).toMatch(/^http/);
      await box.previews.delete('open');
      expect(await box.previews.list()).toEqual([]);
      expect(await server.kill()).toBe(true);
      expect((await server.wait()).exitCode).toBe(137);
      expect(await server.stop()).toBe(false);
    });

    test('is listed, read again and deleted', async () => {
      const names: string[] = [];
      for await (const { name } of berth.sandboxes.list()) names.push(name);
      expect(names).toContain('story');
      expect((await box.refresh()).info.status).toBe('DEPLOYED');
      await box.delete();
      await box.delete();
      // What has ended can be read for a while.
      const status = async () => (await berth.sandboxes.get('story')).info.status;
      await expect.poll(status, { timeout: 20_000 }).toBe('TERMINATED');
      await expect(berth.sandboxes.get('never-made')).rejects.toThrow(NotFoundError);
    });
  });

  describe('when connections break', () => {
    let box: SandboxHandle;

    beforeAll(async () => {
      box = await create('broken');
    });
    afterAll(() => box?.delete());

    test('output on both streams is exact through kills of the gateway, with one exit code', async () => {
      // Of both streams together 32 MiB are kept.
      const megabytes = 10;
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
    }, 120_000);

    test(`each create makes one resource and each exec runs once, whatever is cut (seed ${seed})`, async () => {
      const count = isFull ? 3_000 : 300;
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
      const count = 200;
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
    }, 120_000);
  });
}
