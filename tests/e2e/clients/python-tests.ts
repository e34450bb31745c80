// The Python clients against a whole deployment, with and without asyncio: the same steps, and what they must never do when
// they are cancelled or connections break.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Berth, type SandboxHandle } from 'berth-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pythonProgram } from '../../../engines/python.ts';
import { seededRandom } from '../../harness/seeded-random.ts';
import { isFull, seed } from '../../harness/size.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';
import { startCuttingProxy, withoutCuts } from './cutting-proxy.ts';
import { largeMib } from './large-file.ts';
import { steps } from './sandbox-story.ts';

const clientFolder = resolve(import.meta.dirname, '../../../clients/python');
const run = promisify(execFile);
const mib = 1024 * 1024;

export function pythonTests(fleetOf: () => SandboxFleet): void {
  let sandboxes: SandboxFleet;

  beforeAll(() => {
    sandboxes = fleetOf();
  });

  const environment = () => ({
    PATH: '/usr/bin:/bin',
    PYTHONPATH: join(clientFolder, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
  });

  const deployment = () => {
    const { url, key, gateways } = sandboxes.fleet;
    return { url, key, gatewayUrl: gateways[0]?.url ?? '', image: sandboxes.image, largeMib };
  };

  // Side by side: the programs mostly wait for the deployment.
  test.concurrent.each(['async', 'sync'])(
    'the %s client takes every step of a program that uses a sandbox',
    async (kind) => {
      const story = join(clientFolder, 'tests', `story_${kind}.py`);
      const { stdout } = await run(await pythonProgram('python'), [story], {
        env: { ...environment(), STORY: JSON.stringify({ ...deployment(), name: `story-${kind}` }) },
      });
      expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(steps);
    },
  );

  test.concurrent('the types hold where they are checked strictly', async () => {
    const { stdout } = await run(await pythonProgram('pyright'), ['--pythonpath', await pythonProgram('python')], {
      ...{ cwd: clientFolder, env: { ...environment(), HOME: '/tmp' } },
    });
    expect(stdout).toContain('0 errors, 0 warnings');
  });

  describe('interrupted', () => {
    let berth: Berth;
    let box: SandboxHandle;

    beforeAll(async () => {
      const { url, key, gatewayUrl, image } = deployment();
      berth = new Berth({ url, key, workspace: 'main', gatewayUrl });
      box = await berth.sandboxes.create({ name: 'interrupted', image, memory: 1_024 });
    });
    afterAll(() => box?.delete());

    /** Runs a part of the program, and returns what its last line tells. */
    async function part(name: string, settings: object, onLine: (line: string) => void = () => {}): Promise<unknown> {
      const program = spawn(await pythonProgram('python'), [join(clientFolder, 'tests/interrupted.py'), name], {
        env: { ...environment(), STORY: JSON.stringify({ ...deployment(), name: box.name, ...settings }) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const closed = once(program, 'close');
      let last = '';
      for await (const line of createInterface({ input: program.stdout })) {
        last = line;
        onLine(line);
      }
      expect((await closed)[0]).toBe(0);
      return JSON.parse(last);
    }

    const alive = async (): Promise<string> =>
      (await box.exec('grep -lzx 1000[.]8 /proc/[0-9]*/cmdline 2>/dev/null | wc -l')).stdout.trim();

    test('output on both streams is exact through kills of the gateway, with one exit code', async () => {
      // It comes first: processes of a sandbox share the room for output that is kept.
      const lines = Array.from(
        { length: ((isFull ? 10 : 2) * mib) / 64 },
        (_, at) => `${String(at).padStart(62, '.')}\n`,
      );
      const program = `const w = (s, t) => new Promise((r) => s.write(t, r)); (async () => { for (let at = 0; at < ${lines.length}; at += 256) { const text = Array.from({ length: 256 }, (_, i) => String(at + i).padStart(62, '.') + '\\n').join(''); await w(process.stdout, text); await w(process.stderr, text); if (at % 8192 === 0) await new Promise((r) => setTimeout(r, 150)); } while (!require('fs').existsSync('/work/enough')) await new Promise((r) => setTimeout(r, 50)); process.exitCode = 7; })()`;
      await box.files.write('/work/print.cjs', program);
      const { process } = sandboxes.fleet.gateways[0] ?? {};
      const began = Promise.withResolvers<void>();
      const running = part(
        'output',
        { command: 'node /work/print.cjs' },
        (line) => line === 'began' && began.resolve(),
      );
      await Promise.race([began.promise, running]);
      for (let kills = 0; kills < (isFull ? 20 : 3); kills += 1) {
        await process?.kill();
        await sleep(100);
        await process?.start();
        await sleep(300);
      }
      await box.files.write('/work/enough', '');
      const hash = createHash('sha256').update(lines.join('')).digest('hex');
      expect(await running).toEqual({ exitCode: 7, isComplete: true, hashes: [hash, hash] });
    });

    test('a command whose task is cancelled does not run on, also where it had not started yet', async () => {
      const count = isFull ? 200 : 30;
      expect(await part('cancel', { count })).toEqual({ cancelled: count });
      const startedAt = performance.now();
      await expect.poll(alive, { timeout: 30_000 }).toBe('0');
      console.log(`none of ${count} was alive after ${Math.round(performance.now() - startedAt)} ms`);
    });

    test('Ctrl-C ends the command of the synchronous client, at any moment of it', async () => {
      const count = isFull ? 50 : 10;
      expect(await part('press', { count })).toEqual({ interrupted: count });
      await expect.poll(alive, { timeout: 30_000 }).toBe('0');
    });

    test('commands that follow each other use the same connection', async () => {
      await using gateway = await startCuttingProxy(deployment().gatewayUrl, withoutCuts);
      expect(await part('follow', { gatewayUrl: gateway.url, count: 10 })).toEqual({ done: 10 });
      expect(gateway.connections()).toBeLessThanOrEqual(2);
    });

    test(`each create makes one resource and each exec runs once, whatever is cut (seed ${seed})`, async () => {
      const count = isFull ? 300 : 30;
      const random = seededRandom(seed);
      await using api = await startCuttingProxy(sandboxes.fleet.url, random);
      await using gateway = await startCuttingProxy(deployment().gatewayUrl, random);
      expect(await part('retries', { url: api.url, gatewayUrl: gateway.url, count })).toEqual({ done: count });
      const numbers = Array.from({ length: count }, (_, at) => at);
      const names: string[] = [];
      for await (const { metadata } of berth.list('listPolicies', { query: { q: 'from-python-' } }))
        names.push(metadata.name);
      expect(names.toSorted()).toEqual(numbers.map((number) => `from-python-${number}`).toSorted());
      const runs = (await box.files.readText('/tmp/runs')).trimEnd().split('\n').map(Number);
      expect(runs.toSorted((one, other) => one - other)).toEqual(numbers);
      for (const { cuts } of [api, gateway]) expect(cuts.before + cuts.within + cuts.after).toBeGreaterThan(0);
      console.log(
        `${count} creates and execs; api ${JSON.stringify(api.cuts)}, gateway ${JSON.stringify(gateway.cuts)}`,
      );
    });
  });
}
