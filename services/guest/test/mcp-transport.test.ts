import { expect, test } from 'vitest';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { connectMcpClient } from './mcp-client.ts';

const bothTypes = 'application/json, text/event-stream';

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: bothTypes, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const listing = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} });
const workingDirectory = (id: number | string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'fsGetWorkingDirectory', arguments: {} },
});

test('the official client connects and lists tools', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  await using mcp = await connectMcpClient(guest.url);
  expect(mcp.client.getServerVersion()).toMatchObject({ name: 'Sandbox API Server', version: '1.0.0' });
  expect(mcp.client.getServerCapabilities()).toEqual({ tools: {} });
  expect(mcp.tools.length).toBeGreaterThan(5);
});

test('a call needs neither initialize nor a session, and gets JSON without a session id', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const answer = await post(guest.url, workingDirectory(7), { 'mcp-session-id': 'whatever' });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('mcp-session-id')).toBeNull();
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.body).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: { content: [{ type: 'text', text: '{"path":"/tmp"}' }], structuredContent: { path: '/tmp' } },
  });
});

test('GET is 405 with a JSON error, and so is DELETE', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  for (const method of ['GET', 'DELETE']) {
    const response = await fetch(`${guest.url}/mcp`, { method, headers: { accept: 'text/event-stream' } });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toContain('POST');
    expect(await response.json()).toEqual({ error: expect.stringMatching(/./) });
  }
});

test('Accept must allow both types, by name or by wildcard, else 400', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  for (const accept of [
    'application/json',
    'text/event-stream',
    'text/html',
    'application/json, text/html',
    'text/*',
  ]) {
    const refused = await post(guest.url, listing(1), { accept });
    expect(refused.status, accept).toBe(400);
    expect(refused.body).toEqual({ error: expect.stringContaining('Accept') });
  }
  for (const accept of ['*/*', 'application/*, text/*', 'text/event-stream;q=0.5,application/json', bothTypes]) {
    expect((await post(guest.url, listing(1), { accept })).status, accept).toBe(200);
  }
});

test('a call without Accept is 400', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${guest.url}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json' } });
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
    sent.end(JSON.stringify(listing(1)));
  });
  expect(status).toBe(400);
});

test('an unsupported protocol version is 400, an absent one counts as an old version', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  expect((await post(guest.url, listing(1), { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400);
  expect((await post(guest.url, listing(1), { 'mcp-protocol-version': '2025-03-26' })).status).toBe(200);
  expect((await post(guest.url, listing(1))).status).toBe(200);
});

test('a body that is no JSON-RPC message is 400, a body not declared as JSON is 415', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  for (const body of ['{"jsonrpc"', '', 'null', '[]x', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}']) {
    expect((await post(guest.url, body)).status, body).toBe(400);
  }
  expect((await post(guest.url, listing(1), { 'content-type': 'text/plain' })).status).toBe(415);
});

test('a notification is accepted without an answer, an unknown method is an error of the protocol', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const notified = await post(guest.url, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(notified.status).toBe(202);
  expect(notified.body).toBeUndefined();
  for (const method of ['resources/list', 'prompts/list', 'nonsense']) {
    const answer = await post(guest.url, { jsonrpc: '2.0', id: 1, method });
    expect(answer.body).toMatchObject({ id: 1, error: { code: -32601 } });
  }
});

test('a batch gets the answers of all its calls', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const { status, body } = await post(guest.url, [workingDirectory('a'), listing('b'), workingDirectory('c')]);
  expect(status).toBe(200);
  expect(body.map(({ id }: { id: string }) => id).sort()).toEqual(['a', 'b', 'c']);
});

test('a tool that does not exist is an error of the protocol that says where to look', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const { body } = await post(guest.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'none' } });
  expect(body).toMatchObject({ id: 1, error: { code: -32602, message: expect.stringContaining('tools/list') } });
});

test('R-55 50 callers with the same id at once each get their own answer', async () => {
  await using guest = await serveGuestInProcess({}, '/tmp');
  const names = Array.from({ length: 50 }, (_, index) => `query-${index}`);
  const answers = await Promise.all(
    names.map((query) =>
      post(guest.url, {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'codegenCodebaseSearch', arguments: { query } },
      }),
    ),
  );
  expect(answers.map(({ body }) => body.result.structuredContent.query)).toEqual(names);
  expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([1]));
});
