// Starts each template as its user would, with plain Node.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { runEnvironment } from '../../../engines/run.ts';

const run = promisify(execFile);
const folder = (name: string) => resolve(import.meta.dirname, '../../../templates', name);
const opened: (ChildProcess | Server)[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) {
    if ('kill' in one) one.kill('SIGKILL');
    else one.close();
  }
});

async function serve(answer: (body: string, path: string) => unknown): Promise<string> {
  const server = createServer(async (request, response) => {
    const reply = answer(await text(request), request.url ?? '');
    response.end(typeof reply === 'string' ? reply : JSON.stringify(reply));
  });
  opened.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function start(name: string, env: Record<string, string> = {}): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: folder(name),
    env: { ...runEnvironment(), ...env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  opened.push(child);
  await new Promise((ready) => child.stdout.once('data', ready));
  return `http://127.0.0.1:${port}`;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

test('the agent answers with the model and remembers a thread, and nothing without one', async () => {
  // Stand-in for a model provider on the internet: it answers with the number of messages it received.
  const model = await serve((body) => ({
    choices: [{ message: { content: `saw ${JSON.parse(body).messages.length}` } }],
  }));
  const agent = await start('agent-http', { MODEL_URL: model });
  const ask = async (headers = {}) => (await post(agent, { inputs: 'hello' }, headers)).json();
  const thread = { 'x-service-thread-id': 'one' };
  expect(await ask(thread)).toEqual({ output: 'saw 1' });
  expect(await ask(thread)).toEqual({ output: 'saw 3' });
  expect(await ask({ 'x-service-thread-id': 'two' })).toEqual({ output: 'saw 1' });
  expect(await ask()).toEqual({ output: 'saw 1' });
  expect(await ask()).toEqual({ output: 'saw 1' });
  expect((await post(agent, { wrong: 1 })).status).toBe(400);
});

test('the agent says what to set when it has no model', async () => {
  const agent = await start('agent-http');
  const answer = await post(agent, { inputs: 'hello' });
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('MODEL_URL')]);
});

test('the MCP server introduces itself, lists its tools and runs them', async () => {
  const server = `${await start('mcp-server', { SERVER_NAME: 'mine' })}/mcp`;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of a foreign protocol, looked into freely
  const call = async (method: string, params: object = {}): Promise<any> =>
    (await post(server, { jsonrpc: '2.0', id: 7, method, params })).json();
  expect(await call('initialize', { protocolVersion: '2025-06-18' })).toMatchObject({
    id: 7,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'mine' } },
  });
  expect((await post(server, { jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  const { tools } = (await call('tools/list')).result;
  expect(tools.map(({ name }: { name: string }) => name)).toEqual(['count_words', 'current_time']);
  const counted = await call('tools/call', { name: 'count_words', arguments: { text: 'one two  three' } });
  expect(counted.result).toEqual({ content: [{ type: 'text', text: '3' }] });
  expect((await call('tools/call', { name: 'count_words', arguments: {} })).result.isError).toBe(true);
  expect((await call('constructor')).error.code).toBe(-32_601);
  expect((await fetch(server)).status).toBe(405);
});

test('the job takes its own task from the execution, or flags, and fails with an exit code', async () => {
  const site = await serve((_, path) =>
    path === '/data'
      ? { tasks: [{ url: 'http://127.0.0.1:1/' }, { url: `${site}/page` }] }
      : '<p>two words</p><script>not counted</script>',
  );
  const job = (args: string[], env: Record<string, string> = {}) =>
    run(process.execPath, ['src/main.ts', ...args], { cwd: folder('batch-job'), env });
  const expected = { url: `${site}/page`, words: 2 };
  expect(JSON.parse((await job(['--url', `${site}/page`])).stdout)).toEqual(expected);
  const platform = { SERVICE_EXECUTION_DATA_URL: `${site}/data`, TASK_INDEX: '1' };
  expect(JSON.parse((await job([], platform)).stdout)).toEqual(expected);
  await expect(job([], { ...platform, TASK_INDEX: '9' })).rejects.toMatchObject({ code: 1 });
  await expect(job([])).rejects.toMatchObject({ code: 1 });
});
