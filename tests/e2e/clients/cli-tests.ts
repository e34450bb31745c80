// The command line against a whole deployment: what each command prints for programs, and with which code it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { importImage } from '../../../engines/import-image.ts';
import { importTinyImage, tinyImageTar } from '../../../engines/tiny-image.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';

const program = resolve(import.meta.dirname, '../../../clients/cli/src/main.ts');

export function commandLineTests(fleetOf: () => SandboxFleet): void {
  let sandboxes: SandboxFleet;
  let folder: string;

  beforeAll(async () => {
    sandboxes = fleetOf();
    await importTinyImage(sandboxes.fleet.machines[0]?.dockerUrl ?? '');
    folder = await mkdtemp(join(tmpdir(), 'berth-cli-'));
    const box = await sandboxes.create('demo', { ports: [3000] });
    await box.start({
      command: `node -e "require('http').createServer((q, s) => s.end('port ' + q.url)).listen(3000)"`,
    });
    const { url, key, gateways } = sandboxes.fleet;
    const words = ['--url', url, '--key', key, '--gateway', gateways[0]?.url ?? '', '-w', 'main'];
    expect((await berth('login', ...words)).code).toBe(0);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const environment = () => ({
    PATH: '/usr/bin:/bin',
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  });

  const start = (words: readonly string[], command: readonly string[] = [process.execPath, program]) =>
    spawn(command[0] ?? '', [...command.slice(1), ...words], { env: environment() });

  async function berth(...words: string[]) {
    const child = start(words);
    child.stdin.end();
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { out, err, code: Number(code) };
  }

  async function json<Schema extends z.ZodType>(schema: Schema, ...words: string[]): Promise<z.infer<Schema>> {
    const { out, err, code } = await berth(...words, '-o', 'json');
    expect([code, err.includes('Error')], `${words.join(' ')}: ${err}`).toEqual([0, false]);
    return schema.parse(JSON.parse(out));
  }

  const Named = z.object({ metadata: z.object({ name: z.string() }), spec: z.object({}) });

  describe('a command prints JSON of a known form', () => {
    test('ls, get, delete', async () => {
      expect((await json(z.array(Named), 'ls', 'sandboxes')).map(({ metadata }) => metadata.name)).toContain('demo');
      expect((await json(Named, 'get', 'sandbox', 'demo')).metadata.name).toBe('demo');
      expect(parse((await berth('get', 'sbx', 'demo', '-o', 'yaml')).out)).toMatchObject({
        metadata: { name: 'demo' },
      });
      expect((await berth('ls', 'sandboxes')).out).toMatch(/^NAME +STATUS[\s\S]*\ndemo /);
    });

    test('apply creates, then changes, and delete removes', async () => {
      const file = join(folder, 'policies.yaml');
      const spec = '{type: maxToken, maxTokens: {granularity: day, total: 5}}';
      await writeFile(
        file,
        `kind: policy\nmetadata: {name: daily}\nspec: ${spec}\n---\nkind: drive\nmetadata: {name: data}\nspec: {}\n`,
      );
      const Applied = z.array(z.object({ kind: z.string(), name: z.string(), result: z.enum(['created', 'changed']) }));
      expect((await json(Applied, 'apply', '-f', file)).map(({ result }) => result)).toEqual(['created', 'created']);
      expect((await json(Applied, 'apply', '-f', file)).map(({ result }) => result)).toEqual(['changed', 'changed']);
      expect((await json(Named, 'delete', 'policy', 'daily')).metadata.name).toBe('daily');
    });

    test('deploy waits until the agent serves, and logs show its output', async () => {
      const words = ['deploy', 'web', '--image', 'berth-tiny:latest', '--memory', '128', '-e', 'PORT=8080'];
      const Agent = z.object({
        metadata: z.object({ name: z.literal('web'), url: z.string() }),
        status: z.literal('DEPLOYED'),
      });
      await json(Agent, ...words);
      const Lines = z.array(
        z.object({ timestamp: z.string(), message: z.string(), severity: z.int(), trace_id: z.string() }),
      );
      await json(Lines, 'logs', 'agent', 'web');
      const refused = await berth('deploy', 'web', '--image', 'berth-tiny:latest', '--memory', '1');
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('memory')]);
    });

    test('logs -f goes on with each line once, until Ctrl-C', async () => {
      const many = 'while :; do for i in $(busybox seq 500); do n=$((n+1)); echo "line $n"; done; sleep 1; done';
      await importImage(sandboxes.fleet.machines[0]?.dockerUrl ?? '', 'talker:1', await tinyImageTar(), [
        'ENV PATH=/bin',
        `CMD ${JSON.stringify(['sh', '-c', `n=0; busybox httpd -p 8080 -h /www; ${many}`])}`,
      ]);
      const deployed = await berth('deploy', 'talker', '--image', 'talker:1', '--memory', '128', '-e', 'PORT=8080');
      expect(deployed).toMatchObject({ code: 0 });
      const follower = start(['logs', '-f', 'agent', 'talker', '-n', '10', '-o', 'json']);
      const closed = once(follower, 'close');
      const numbers: number[] = [];
      for await (const line of createInterface(follower.stdout)) {
        numbers.push(Number(JSON.parse(line).message.slice('line '.length)));
        if (numbers.length === 5_000) follower.kill('SIGINT');
      }
      const [first = 0] = numbers;
      expect(numbers).toEqual(numbers.map((_, at) => first + at));
      expect([numbers.length >= 5_000, await closed]).toEqual([true, [130, null]]);
      expect((await berth('delete', 'agent', 'talker')).code).toBe(0);
    });

    test('run waits for the end of a job', async () => {
      const file = join(folder, 'job.yaml');
      await writeFile(
        file,
        'kind: job\nmetadata: {name: one}\nspec: {runtime: {image: "berth-tiny:latest", memory: 128, timeout: 5, generation: mk2}}\n',
      );
      expect((await berth('apply', '-f', file)).code).toBe(0);
      const { code, out } = await berth('run', 'one', '-t', '{"a": 1}', '-o', 'json');
      const Execution = z.object({
        status: z.enum(['succeeded', 'failed', 'timeout']),
        stats: z.object({ total: z.literal(1) }),
      });
      // The image serves, and so ends by its timeout.
      expect([Execution.parse(JSON.parse(out)).status, code]).toEqual(['timeout', 1]);
    });

    test('init writes a template, and lists them', async () => {
      const Templates = z.array(z.object({ name: z.string() }));
      expect((await json(Templates, 'init')).map(({ name }) => name)).toContain('agent-http');
      const target = join(folder, 'helper');
      const Written = z.object({ folder: z.literal(target), files: z.int() });
      expect((await json(Written, 'init', 'agent-http', target)).files).toBeGreaterThan(2);
      expect(await readFile(join(target, 'Dockerfile'), 'utf8')).toContain('FROM');
      expect(await berth('init', 'agent-http', target)).toMatchObject({
        code: 2,
        err: expect.stringContaining('not empty'),
      });
      expect((await berth('init', 'nothing', join(folder, 'nothing'))).code).toBe(3);
    });

    test('usage, doctor, completion, help', async () => {
      await json(z.array(z.object({ billingDimension: z.string() })), 'usage');
      const Checks = z.array(z.object({ check: z.string(), isGood: z.boolean(), found: z.string() }));
      const { out } = await berth('doctor', '-o', 'json');
      expect(Checks.parse(JSON.parse(out)).map(({ isGood }) => isGood)).toEqual([true, true, true, true]);
      expect((await berth('completion', 'bash')).out).toContain('complete -o default -F _berth berth');
      for (const words of [['help'], ['exec', '--help']])
        expect(await berth(...words)).toMatchObject({ code: 0, err: '' });
    });
  });

  describe('exec', () => {
    test('passes on output, input and exit code', async () => {
      const { out, err, code } = await berth('exec', 'demo', '--', 'sh', '-c', 'echo out; echo err >&2; exit 7');
      expect({ out, err, code }).toEqual({ out: 'out\n', err: 'err\n', code: 7 });
      const child = start(['exec', 'demo', '-i', '--', 'cat']);
      child.stdin.end("it's given");
      expect(await text(child.stdout)).toBe("it's given");
    });

    test('ends with 124 at its timeout, and kills what runs when it is interrupted', async () => {
      expect((await berth('exec', 'demo', '--timeout', '1', '--', 'sleep', '100')).code).toBe(124);
      const child = start(['exec', 'demo', '--', 'sh', '-c', 'echo up; exec sleep 777']);
      await once(child.stdout, 'data');
      child.kill('SIGINT');
      expect((await once(child, 'close'))[0]).toBe(130);
      const alive = async () =>
        (
          await berth('exec', 'demo', '--', 'sh', '-c', 'grep -lzx 77[7] /proc/[0-9]*/cmdline 2>/dev/null | wc -l')
        ).out.trim();
      await expect.poll(alive, { timeout: 15_000 }).toBe('0');
    });
  });

  test('each kind of failure has an exit code of its own', async () => {
    const codes = async (...lines: string[][]) => Promise.all(lines.map(async (words) => (await berth(...words)).code));
    expect(
      await codes(
        ['nothing'],
        ['get', 'sandbox'],
        ['ls', 'cats'],
        ['ls', 'agents', '--wrong'],
        ['ls', 'agents', '-o', 'xml'],
      ),
    ).toEqual([2, 2, 2, 2, 2]);
    expect(await codes(['get', 'sandbox', 'none'], ['exec', 'none', '--', 'true'])).toEqual([3, 3]);
    expect(await codes(['ls', 'agents', '-w', 'not-mine'])).toEqual([4]);
    expect((await stat(join(folder, 'config/berth/config.json'))).mode & 0o777).toBe(0o600);
  });

  test('cp copies files and folders both ways, byte for byte', async () => {
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    await mkdir(join(from, 'deep'), { recursive: true });
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 251));
    await writeFile(join(from, 'deep/bytes'), bytes, { mode: 0o755 });
    await writeFile(join(from, 'a text'), 'text');
    await mkdir(join(from, 'node_modules'));
    for (const name of ['.hidden', 'node_modules/one']) await writeFile(join(from, name), name);
    for (let at = 0; at < 100; at += 1) await writeFile(join(from, `deep/${at}`), String(at));
    const Files = z.object({ files: z.int() });
    expect((await json(Files, 'cp', from, 'demo:/work/from')).files).toBe(104);
    expect((await berth('exec', 'demo', '--', 'stat', '-c', '%a', '/work/from/deep/bytes')).out).toBe('755\n');
    expect((await json(Files, 'cp', 'demo:/work/from', to)).files).toBe(104);
    for (const name of ['.hidden', 'node_modules/one']) expect(await readFile(join(to, name), 'utf8')).toBe(name);
    expect((await readFile(join(to, 'deep/bytes'))).equals(bytes)).toBe(true);
    expect((await json(Files, 'cp', 'demo:/work/from/a text', `${to}/one`)).files).toBe(1);
    expect(await readFile(join(to, 'one'), 'utf8')).toBe('text');
  });

  test('port serves a port of the sandbox on this machine', async () => {
    const child = start(['port', 'demo', '3000', '--local', '0', '-o', 'json']);
    const [said] = await once(child.stdout, 'data');
    const { address } = z.object({ address: z.string() }).parse(JSON.parse(String(said)));
    expect(await (await fetch(`${address}/x?y`)).text()).toBe('port /x?y');
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(0);
  });

  test('a terminal is a terminal', async () => {
    const command = `${process.execPath} ${program} terminal demo`;
    const child = start([], ['script', '-qfec', command, '/dev/null']);
    let shown = '';
    child.stdout.on('data', (bytes) => {
      shown += bytes;
    });
    child.stdin.write('stty size; echo $((40 + 2))\r');
    await expect.poll(() => shown, { timeout: 20_000 }).toContain('42');
    child.stdin.write('exit\r');
    await once(child, 'close');
    const refused = await berth('terminal', 'demo');
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('This is no terminal')]);
  });
}
