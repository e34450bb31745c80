// Requests that no client library sends. Each is refused in the common error format, with a request id when there is a
// request.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

/** Writes bytes to a new connection and reads until the server closes it. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

const bodyOf = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));

describe('an address', () => {
  test.each(['%zz', '%', '%ff%fe', 'x'.repeat(301)])(
    'that the router refuses (%s) is refused in the common form',
    async (name) => {
      const answer = await raw(`GET /v0/drives/${name} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer.toLowerCase()).toContain('\r\nx-request-id: ');
      expect(bodyOf(answer)).toEqual({ error: 'invalid_request', code: 400, message: expect.any(String) });
    },
  );

  test.each(['A', 'a b', '-a', '*', 'a.b', 'x'.repeat(50), 'ä'])(
    'with a name that no resource can have (%s) creates nothing, also where PUT creates',
    async (name) => {
      for (const path of ['/drives', '/volume_templates']) {
        const answer = await api.admin.put(`${path}/${encodeURIComponent(name)}`, { metadata: {}, spec: {} });
        expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
      }
    },
  );
});

describe('a method', () => {
  test.each(['QUERY', 'OPTIONS', 'PATCH', 'HEAD', 'TRACE', 'PROPFIND'])(
    'that nobody serves (%s) gets 405',
    async (method) => {
      const answer = await raw(`${method} /v0/drives HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 405 /);
      expect(answer).toContain('\r\nallow: GET, POST\r\n');
      if (method !== 'HEAD') expect(bodyOf(answer)).toMatchObject({ error: 'method_not_allowed', code: 405 });
    },
  );

  test('and a body for an unknown route are not read', async () => {
    const body = 'x'.repeat(2_000_000);
    const unknown = await api.admin.send('POST', '/nowhere', {
      rawBody: body,
      headers: { 'content-type': 'image/png' },
    });
    expect([unknown.status, unknown.body.error]).toEqual([404, 'route_not_found']);
  });
});

describe('bytes that are no request', () => {
  test.each(['nonsense\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'GET /v0/drives HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n'])(
    'are refused: %j',
    async (text) => {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(bodyOf(answer)).toEqual({ error: 'invalid_request', code: 400, message: expect.any(String) });
    },
  );

  test('of headers are too many: 431', async () => {
    const answer = await raw(`GET /v0/drives HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(bodyOf(answer)).toEqual({ error: 'headers_too_large', code: 431, message: expect.any(String) });
  });
});
