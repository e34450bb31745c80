// Addresses of workloads, and the requests that pass through them. Specification: Inference and execution endpoints.
import { Readable } from 'node:stream';
import { headerNames } from '@berth/contract';
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { type HostRequest, openAtHost, sendToHost } from '../harness/send-to-host.ts';
import { modelAnswer, type Serving, startServing } from './support/serving.ts';

const names = headerNames(conformanceBrand());
/** Header names under a brand other than the deployment's. */
const foreign = headerNames({ long: 'Elsewhere', short: 'elsewhere' });

let serving: Serving;
/** The workloads' own hosts, from metadata.url. */
let hosts: Record<'agent' | 'function' | 'sandbox', string>;
beforeAll(async () => {
  serving = await startServing();
  const hostOf = async (path: string) => new URL((await serving.api.admin.get(path)).body.metadata.url).host;
  hosts = {
    agent: await hostOf('/agents/echo'),
    function: await hostOf('/functions/echo'),
    sandbox: await hostOf('/sandboxes/box'),
  };
});
afterAll(() => serving?.[Symbol.asyncDispose]());

const bearer = () => ({ [names.authorization]: `Bearer ${serving.api.adminKey}` });
const ownHost = () => new URL(serving.url).host;

interface Asked extends Omit<HostRequest, 'body'> {
  readonly body?: unknown;
}

/**
 * Calls inference_url, or the workload's own host when one is given. Sends the key unless `headers` contains another.
 */
async function call(path: string, { body, headers = {}, ...asked }: Asked = {}, host = ownHost()) {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const { status, text } = await sendToHost(serving.url, host, {
    ...{ ...asked, path, headers: { ...json, ...bearer(), ...headers } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, body: JSON.parse(text) };
}

/** Value of a header as the `echo` workload received it. */
const reached = (raw: readonly string[], name: string): string | undefined =>
  raw.find((_, at) => at % 2 === 1 && raw[at - 1]?.toLowerCase() === name.toLowerCase());

const agents = () => `/${serving.api.workspace}/agents`;
const functions = () => `/${serving.api.workspace}/functions`;

test('inference.agent: POST of inputs at /{workspace}/agents/{agent} reaches that agent as it was sent, with and without a thread id', async () => {
  const inputs = 'Where is Oslo? – "here" 🙂';
  const thread = { [names.threadId]: 'thread-7' };
  for (const headers of [{}, thread]) {
    const { status, body } = await call(`${agents()}/echo`, { method: 'POST', headers, body: { inputs } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ method: 'POST', url: '/', body: JSON.stringify({ inputs }) });
    expect(reached(body.headers, names.threadId)).toBe(headers === thread ? 'thread-7' : undefined);
  }
  const other = await call(`${agents()}/memory`, { method: 'POST', body: { inputs } });
  expect([other.status, other.body]).toEqual([200, { output: expect.any(String), remembered: [] }]);
  for (const path of [`${agents()}/no-such-agent`, '/no-such-workspace/agents/echo'])
    expect((await call(path, { method: 'POST', body: { inputs } })).status).toBe(404);
});

const tell = async (inputs: string, headers: Readonly<Record<string, string>> = {}): Promise<string[]> => {
  const { status, body } = await call(`${agents()}/memory`, { method: 'POST', headers, body: { inputs } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.remembered;
};
const inThread = (id: string) => ({ [names.threadId]: id });

test('inference.thread-memory: an agent remembers over several turns of one thread id, and two threads stay apart', async () => {
  expect(await tell('one', inThread('a'))).toEqual([]);
  expect(await tell('two', inThread('a'))).toEqual(['one']);
  expect(await tell('of b', inThread('b'))).toEqual([]);
  expect(await tell('three', inThread('a'))).toEqual(['one', 'two']);
  expect(await tell('more of b', inThread('b'))).toEqual(['of b']);
});

test('inference.thread-absent: without a thread id an agent keeps nothing and uses nothing', async () => {
  expect(await tell('kept', inThread('c'))).toEqual([]);
  for (const inputs of ['one', 'two', 'three']) expect(await tell(inputs)).toEqual([]);
  expect(await tell('again', inThread('c'))).toEqual(['kept']);
});

test('inference.thread-header: the thread id is read from the header under the brand of the deployment and from no other', async () => {
  expect(await tell('one', inThread('d'))).toEqual([]);
  for (const name of [foreign.threadId, 'Thread-Id', 'X-Thread-Id']) {
    const other = { [name]: 'd' };
    expect([name, await tell('unheard', other)]).toEqual([name, []]);
  }
  expect(await tell('two', inThread('d'))).toEqual(['one']);
});

test('inference.thread-agents-only: a thread id reaches agents, and neither functions nor sandboxes', async () => {
  const headers = { ...inThread('thread-7'), 'x-other': 'kept' };
  const asked: [string, string, string | undefined][] = [
    [`${agents()}/echo/x`, ownHost(), 'thread-7'],
    [`${functions()}/echo/x`, ownHost(), undefined],
    [`/port/${serving.echoPort}/x`, hosts.sandbox, undefined],
  ];
  for (const [path, host, thread] of asked) {
    const { status, body } = await call(path, { headers }, host);
    expect([path, status, body.url, reached(body.headers, 'x-other')]).toEqual([path, 200, '/x', 'kept']);
    expect([path, reached(body.headers, names.threadId)]).toEqual([path, thread]);
  }
});

test('inference.own-address: the address in metadata.url of an agent, a function and a sandbox serves that workload', async () => {
  expect(hosts).toEqual({
    agent: 'agt-echo-main.one.run.example.test',
    function: 'mcp-echo-main.one.run.example.test',
    sandbox: 'sbx-box-main.one.run.example.test',
  });
  for (const kind of ['agent', 'function'] as const) {
    const { status, body } = await call('/some/path?x=1', { method: 'POST', body: { inputs: kind } }, hosts[kind]);
    expect([kind, status]).toEqual([kind, 200]);
    expect(body).toMatchObject({ url: '/some/path?x=1', body: JSON.stringify({ inputs: kind }) });
  }
  expect(await call('/health', {}, hosts.sandbox)).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect((await call('/', {}, hosts.agent.replace('agt-echo', 'agt-none'))).status).toBe(404);
});

/** `fetch` derives the Host header from the URL, so this version connects to the gateway and sets the wanted host. */
const fetchAt: FetchLike = async (url, { method, headers, body, signal } = {}) => {
  const { host, pathname, search } = new URL(url);
  const answer = await openAtHost(serving.url, host, {
    ...{ path: `${pathname}${search}`, headers: Object.fromEntries(new Headers(headers)) },
    ...(method == null ? {} : { method }),
    ...(typeof body === 'string' ? { body } : {}),
    ...(signal == null ? {} : { signal }),
  });
  const { statusCode: status = 0, headers: answered } = answer;
  const pairs = Object.entries(answered).map(([name, value]): [string, string] => [name, String(value)]);
  const isEmpty = status === 202 || status === 204;
  return new Response(isEmpty ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: pairs });
};

/** The official MCP client, over streamable HTTP. */
async function mcpAt(url: string) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    ...{ requestInit: { headers: bearer() }, fetch: fetchAt },
  });
  const client = new McpClient({ name: 'conformance', version: '1.0.0' });
  await client.connect(transport as Transport);
  return {
    transport,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async use(name: string, args: Record<string, unknown> = {}): Promise<string> {
      const params = { name, arguments: args };
      const { content } = await client.request({ method: 'tools/call', params }, CallToolResultSchema);
      return content[0]?.type === 'text' ? content[0].text : '';
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

test('inference.chat: POST of messages at /{workspace}/models/{model}/chat/completions is answered by the model’s provider', async () => {
  const body = { messages: [{ role: 'user', content: 'Where is Oslo? – 🙂' }] };
  const answer = await call(`/${serving.api.workspace}/models/chat/chat/completions`, { method: 'POST', body });
  expect(answer).toEqual({ status: 200, body: modelAnswer });
  expect(serving.provider.last).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
  expect(JSON.parse(serving.provider.last.body)).toEqual({ ...body, model: 'large' });
});

test('inference.model: POST at /{workspace}/models/{model} and at the model’s own host is answered by the model’s provider', async () => {
  const body = { messages: [{ role: 'user', content: 'Where is Oslo?' }], temperature: 0.5 };
  const { url } = (await serving.api.admin.get('/models/chat')).body.metadata;
  const answers = [
    await call(`/${serving.api.workspace}/models/chat`, { method: 'POST', body }),
    await call('/', { method: 'POST', body }, new URL(url).host),
  ];
  for (const answer of answers) expect(answer).toEqual({ status: 200, body: modelAnswer });
  expect(JSON.parse(serving.provider.last.body)).toEqual({ ...body, model: 'large' });
});

test('inference.function-mcp: an MCP client begins a session at /{workspace}/functions/{server}/mcp, lists and calls tools, and ends it', async () => {
  await using mcp = await mcpAt(`${serving.url}${functions()}/tools/mcp`);
  expect(await mcp.tools()).toEqual(expect.arrayContaining(['count', 'where']));
  expect([await mcp.use('count'), await mcp.use('count')]).toEqual(['1', '2']);
  await using second = await mcpAt(`${serving.url}${functions()}/tools/mcp`);
  expect(await second.use('count')).toBe('1');
  const open = async () => (await call(`${functions()}/tools/sessions`)).body.sessions;
  expect(await open()).toBe(2);
  await mcp.transport.terminateSession();
  expect(await open()).toBe(1);
});

test('inference.sandbox-mcp: an MCP client at /mcp of a sandbox’s own host runs a command and reads a file inside', async () => {
  await using mcp = await mcpAt(`http://${hosts.sandbox}/mcp`);
  expect(await mcp.tools()).toEqual(expect.arrayContaining(['fsWriteFile', 'fsReadFile', 'processExecute']));
  await mcp.use('fsWriteFile', { path: 'by-mcp.txt', content: 'written by a tool' });
  expect(await mcp.use('fsReadFile', { path: 'by-mcp.txt' })).toContain('written by a tool');
  const command = { command: 'tr a-z A-Z < by-mcp.txt', workingDir: serving.folder, waitForCompletion: true };
  expect(await mcp.use('processExecute', command)).toContain('WRITTEN BY A TOOL');
});

test('inference.sandbox-tree: GET /filesystem/tree/{path} of a sandbox’s own host gives the folders and files below', async () => {
  const at = (path: string, asked: Asked = {}) => call(path, asked, hosts.sandbox);
  const root = `${serving.folder}/tree`;
  for (const path of ['a.txt', 'inner/b.txt']) {
    const written = await at(`/filesystem/${root}/${path}`, { method: 'PUT', body: { content: 'x' } });
    expect(written.status, JSON.stringify(written.body)).toBe(200);
  }
  const { status, body } = await at(`/filesystem/tree${root}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ path: root, files: [{ name: 'a.txt' }], subdirectories: [{ name: 'inner' }] });
  expect((await at(`/filesystem/tree${root}/inner`)).body).toMatchObject({ files: [{ name: 'b.txt' }] });
  expect((await at(`/filesystem/tree${root}/nothing`)).status).toBe(400);
});

test('inference.credential: addresses of agents, functions and sandboxes take the bearer in X-Service-Authorization, and nobody without one', async () => {
  const key = serving.api.adminKey;
  const places: [string, string][] = [
    [`${agents()}/echo/x`, ownHost()],
    [`${functions()}/echo/x`, ownHost()],
    ['/x', hosts.agent],
    ['/x', hosts.function],
    [`/port/${serving.echoPort}/x`, hosts.sandbox],
    ['/health', hosts.sandbox],
  ];
  const wrong: Record<string, string>[] = [
    {},
    { [names.authorization]: `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}` },
    { [names.authorization]: `Basic ${key}` },
    { [foreign.authorization]: `Bearer ${key}` },
  ];
  for (const [path, host] of places) {
    const statusWith = async (headers: Record<string, string>) =>
      (await sendToHost(serving.url, host, { path, headers })).status;
    expect([host, path, await statusWith(bearer())]).toEqual([host, path, 200]);
    for (const headers of wrong)
      expect([host, path, headers, await statusWith(headers)]).toEqual([host, path, headers, 401]);
  }
  // An Authorization header beside the key belongs to the workload, and the key itself never reaches the workload.
  const { body } = await call(`${agents()}/echo/x`, { headers: { authorization: 'Basic of-the-app' } });
  expect(reached(body.headers, 'authorization')).toBe('Basic of-the-app');
  expect(JSON.stringify(body.headers)).not.toContain(key);
});
