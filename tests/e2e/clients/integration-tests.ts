// Frameworks for agents against a whole deployment. The model is a stand-in: it calls one tool, which runs in a sandbox.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, streamText } from 'ai';
import { Berth, type SandboxHandle } from 'berth-sdk';
import { sandboxTools } from 'berth-sdk/ai';
import { berthProvider } from 'berth-sdk/computesdk';
import { compute } from 'computesdk';
import { beforeAll, test } from 'vitest';
import { pythonProgram } from '../../../engines/python.ts';
import { exampleProgram, pythonExamples } from '../../../engines/python-examples.ts';
import { isFull } from '../../harness/size.ts';
import type { SandboxFleet } from '../sandbox/sandbox-fleet.ts';
import { lastWords, startCallingModel } from './calling-model.ts';

const root = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
/** A public address, which the test gives to the other end of the machine's wire. */
const publicAddress = '12.34.56.79';

export function integrationTests(fleetOf: () => SandboxFleet): void {
  let sandboxes: SandboxFleet;
  let box: SandboxHandle;

  const settings = () => ({
    ...{ url: sandboxes.fleet.url, key: sandboxes.fleet.key, workspace: 'main' },
    gatewayUrl: sandboxes.fleet.gateways[0]?.url ?? '',
  });

  beforeAll(async () => {
    if (isFull) await pythonExamples.install();
    sandboxes = fleetOf();
    await sandboxes.create('work', { ports: [3000] });
    box = await new Berth(settings()).sandboxes.get('work');
  }, 900_000);

  /** The text that the command writes into the file is not in the command. */
  const commandOf = (file: string): string => `printf 'made by %s\\n' ${file} | tee /tmp/${file}`;
  const textOf = (file: string): string => `made by ${file}`;

  test.concurrent('AI SDK: output of a tool arrives while the command runs, and its result reaches the model', async ({
    expect,
  }) => {
    const command = `echo begun; until [ -e /tmp/go ]; do sleep 0.1; done; ${commandOf('tools')}`;
    await using model = await startCallingModel({ name: 'exec', input: { command } });
    const { fullStream, text } = streamText({
      model: createOpenAICompatible({ name: 'stand-in', baseURL: model.url })('m'),
      prompt: 'Go.',
      tools: sandboxTools(box),
      stopWhen: isStepCount(3),
    });
    const results: unknown[] = [];
    for await (const part of fullStream) {
      if (part.type === 'error' || part.type === 'tool-error') throw part.error;
      if (part.type !== 'tool-result') continue;
      // The command ends only after its first output has arrived.
      if (results.length === 0) await box.files.write('/tmp/go', '');
      results.push([part.preliminary ?? false, part.output]);
    }
    expect(results[0]).toEqual([true, { stdout: 'begun\n', stderr: '', isTruncated: false }]);
    const stdout = `begun\n${textOf('tools')}\n`;
    expect(results.at(-1)).toEqual([false, { stdout, stderr: '', isTruncated: false, exitCode: 0 }]);
    expect(await box.files.readText('/tmp/tools')).toBe(`${textOf('tools')}\n`);
    expect(model.result()).toContain(textOf('tools'));
    expect(await text).toBe(lastWords);
  });

  test.concurrent('AI SDK: the tools of files, what is cut off, and a command that is left', async ({ expect }) => {
    const { exec, readFile, writeFile, listFiles } = sandboxTools(box, { maxCharacters: 10 });
    await writeFile.execute({ path: '/tmp/tool-files/a', text: '0123456789abc' }, {});
    expect(await readFile.execute({ path: '/tmp/tool-files/a' }, {})).toEqual({
      text: '0123456789',
      isTruncated: true,
    });
    expect(await listFiles.execute({ path: '/tmp/tool-files' }, {})).toEqual({
      files: [{ name: 'a', size: 13 }],
      folders: [],
    });
    const outputs = await Array.fromAsync(exec.execute({ command: 'cat a >&2; exit 3', cwd: '/tmp/tool-files' }, {}));
    expect(outputs.at(-1)).toEqual({ stdout: '', stderr: '3456789abc', isTruncated: true, exitCode: 3 });
    for await (const { stdout } of exec.execute({ command: 'echo up; sleep 1000.8' }, {})) if (stdout === 'up\n') break;
    const alive = async () =>
      (await box.exec('grep -lzx 1000[.]8 /proc/[0-9]*/cmdline 2>/dev/null | wc -l')).stdout.trim();
    await expect.poll(alive, { timeout: 15_000 }).toBe('0');
  });

  test.concurrent('ComputeSDK: a program creates, uses and destroys a sandbox', async ({ expect }) => {
    const manager = compute({ provider: berthProvider(settings()) });
    const made = await manager.sandbox.create({
      ...{ name: 'computed', image: sandboxes.image, memory: 512, timeout: 3_600_000 },
      ...{ envs: { GREETING: 'hi' }, metadata: { team: 'a' } },
    });
    const heard: string[] = [];
    const command = 'echo $GREETING $OTHER; pwd; echo later >&2; exit 3';
    const onStdout = (text: string) => heard.push(text);
    const ran = await made.runCommand(command, { cwd: '/tmp', env: { OTHER: 'you' }, onStdout });
    expect(ran).toMatchObject({ exitCode: 3, stdout: 'hi you\n/tmp\n', stderr: 'later\n' });
    expect(heard.join('')).toBe(ran.stdout);
    expect((await made.runCommand('sleep 1000', { timeout: 200 })).exitCode).toBe(137);
    await made.runCommand(commandOf('later'), { background: true });
    const { filesystem } = made;
    await expect.poll(() => filesystem.exists('/tmp/later'), { timeout: 15_000 }).toBe(true);
    await filesystem.mkdir('/work/folder');
    await filesystem.writeFile('/work/a', 'text');
    expect(await filesystem.readFile('/work/a')).toBe('text');
    const entries = (await filesystem.readdir('/work')).map(({ name, type, size }) => [name, type, size]);
    expect(entries).toEqual([
      ['a', 'file', 4],
      ['folder', 'directory', undefined],
    ]);
    for (const path of ['/work/a', '/work/folder']) await filesystem.remove(path);
    expect(await filesystem.readdir('/work')).toEqual([]);

    const info = await made.getInfo();
    expect(info).toMatchObject({ id: 'computed', provider: 'berth', status: 'running', metadata: { team: 'a' } });
    expect(info.timeout).toBeGreaterThan(0);
    expect(info.timeout).toBeLessThanOrEqual(3_600_000);
    expect(await made.getUrl({ port: 3000, protocol: 'ws' })).toMatch(/^ws:.+\/computed\/port\/3000$/);
    const ids = (await manager.sandbox.list()).map(({ sandboxId }) => sandboxId);
    expect(ids).toEqual(expect.arrayContaining(['computed', 'work']));
    expect((await manager.sandbox.getById('computed'))?.sandboxId).toBe('computed');
    await made.destroy();
    await expect.poll(() => manager.sandbox.getById('computed'), { timeout: 20_000 }).toBeNull();
    await manager.sandbox.destroy('computed');
    await expect(manager.sandbox.create({ snapshotId: 'one' })).rejects.toThrow('There are no snapshots');
  });

  /** Program and its arguments. The Python ones install much, so they run in the full size. */
  const examples: readonly { name: string; tool: string; isFullOnly: boolean; program(): Promise<string[]> }[] = [
    {
      ...{ name: 'ai-sdk', tool: 'processExecute', isFullOnly: false },
      program: async () => [process.execPath, join(root, 'examples/ai-sdk/main.mjs')],
    },
    ...[
      { name: 'langchain', tool: 'processExecute' },
      { name: 'pydantic-ai', tool: 'processExecute' },
      { name: 'openai-agents', tool: 'processExecute' },
      { name: 'deepagents', tool: 'execute' },
    ].map(({ name, tool }) => ({
      ...{ name, tool, isFullOnly: true },
      program: async () => [await exampleProgram(name), join(root, 'examples', name, 'main.py')],
    })),
  ];

  test.for(examples.filter(({ isFullOnly }) => isFull || !isFullOnly))(
    'the example $name runs a tool in a sandbox',
    { concurrent: true },
    async ({ name, tool, program }, { expect }) => {
      const input = { command: commandOf(name), ...(tool === 'processExecute' && { waitForCompletion: true }) };
      await using model = await startCallingModel({ name: tool, input });
      const { url, key, gatewayUrl } = settings();
      const [command = '', ...args] = await program();
      const { stdout } = await run(command, args, {
        env: {
          ...{ PATH: '/usr/bin:/bin', HOME: '/tmp', PYTHONDONTWRITEBYTECODE: '1' },
          ...{ PYTHONPATH: join(root, 'clients/python/src'), LANGSMITH_TRACING: 'false' },
          ...{ BERTH_URL: url, BERTH_KEY: key, BERTH_WORKSPACE: 'main' },
          ...{ GATEWAY_URL: gatewayUrl, SANDBOX: 'work' },
          ...{ MCP_URL: `${gatewayUrl}/main/sandboxes/work/mcp`, MODEL_URL: model.url, MODEL_KEY: 'none' },
        },
      });
      expect(stdout.trim()).toBe(lastWords);
      expect(model.offered()).toContain(tool);
      expect(model.result()).toContain(textOf(name));
      expect(await box.files.readText(`/tmp/${name}`)).toBe(`${textOf(name)}\n`);
    },
  );

  test.runIf(isFull)(
    'deepagents: each backend keeps files, runs commands and ends them in time, and its types hold',
    { concurrent: true },
    async ({ expect }) => {
      const program = await exampleProgram('deepagents');
      const folder = join(root, 'clients/python');
      const env = { PATH: '/usr/bin:/bin', HOME: '/tmp', PYTHONDONTWRITEBYTECODE: '1' };
      const { stdout } = await run(program, [join(folder, 'tests/deepagents_backend.py')], {
        env: { ...env, PYTHONPATH: join(folder, 'src'), BACKEND: JSON.stringify({ ...settings(), name: 'work' }) },
      });
      expect(stdout.trim()).toBe('sync async');
      const checked = [await pythonProgram('pyright'), '--pythonpath', program, 'src/berth_sdk/deepagents.py'] as const;
      const [command, ...args] = checked;
      expect((await run(command, args, { cwd: folder, env })).stdout).toContain('0 errors, 0 warnings');
    },
  );

  test.concurrent('a keepAlive process keeps its sandbox awake until it ends; an outgoing connection alone does not', async ({
    expect,
  }) => {
    await using made = new AsyncDisposableStack();
    execFileSync('ip', ['addr', 'add', `${publicAddress}/32`, 'dev', sandboxes.fleet.machines[0]?.wire ?? '']);
    const sockets = new Map<string, Socket>();
    const listener = createServer(async (socket) => {
      made.defer(() => void socket.destroy());
      sockets.set(String((await once(socket, 'data'))[0]), socket);
    });
    made.defer(() => void listener.close());
    await once(listener.listen(0, publicAddress), 'listening');
    const address = listener.address();
    const port = address === null || typeof address === 'string' ? 0 : address.port;

    const [kept, other] = [await sandboxes.create('kept'), await sandboxes.create('other')];
    const berth = new Berth(settings());
    const start = async (name: string, keepAlive: boolean) => {
      const program = `const s = require('net').connect(${port}, '${publicAddress}', () => s.write('${name}')); s.on('data', (b) => s.write('done ' + b))`;
      return (await berth.sandboxes.get(name)).spawn(`node -e "${program}"`, keepAlive ? { keepAlive } : {});
    };
    const process = await start('kept', true);
    await start('other', false);
    await expect.poll(() => [...sockets.keys()].toSorted(), { timeout: 20_000 }).toEqual(['kept', 'other']);
    const connection = sockets.get('kept');
    if (connection === undefined) throw new Error('The process of the sandbox "kept" is not connected.');

    await other.asleep();
    // Each time that the other sandbox has fallen asleep again, an idle period has passed for this one too.
    for (let task = 0; task < (isFull ? 5 : 1); task += 1) {
      await other.health();
      await other.asleep();
      expect(await kept.state()).toBe('RUNNING');
      connection.write(`task ${task}`);
      expect(String((await once(connection, 'data'))[0])).toBe(`done task ${task}`);
    }
    await once(connection.end(), 'close');
    expect((await process.wait()).exitCode).toBe(0);
    await kept.asleep();
  });
}
