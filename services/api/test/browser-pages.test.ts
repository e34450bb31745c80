// Pages of browsers that call the management API with a key.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const origin = 'https://app.example';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: { browserOrigins: [origin] } });
});
afterAll(() => api[Symbol.asyncDispose]());

const ask = (path: string, init: RequestInit = {}) => fetch(`${api.url}${path}`, init);
const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };

test('a preflight is answered for every address, without a key', async () => {
  for (const path of ['/v0/agents', '/v0/no/such/path', '/.well-known/berth']) {
    const { status, headers } = await ask(path, preflight);
    expect([path, status, headers.get('access-control-allow-origin')]).toEqual([path, 204, origin]);
    expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
  }
});

test('answers and refusals can be read by a page that is allowed, and by no other one', async () => {
  const authorization = `Bearer ${api.adminKey}`;
  for (const [headers, status] of [
    [{ origin, authorization }, 200],
    [{ origin }, 401],
  ] as const) {
    const answer = await ask('/v0/workspaces', { headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, origin]);
    expect(answer.headers.get('vary')).toContain('Origin');
  }
  const other = await ask('/v0/workspaces', { headers: { origin: 'https://other.example', authorization } });
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  const refused = await ask('/v0/agents', {
    ...preflight,
    headers: { ...preflight.headers, origin: 'https://other.example' },
  });
  expect([refused.status, refused.headers.get('access-control-allow-methods')]).toEqual([405, null]);
});
