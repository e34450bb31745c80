// Pages of browsers that call a sandbox by its path, with a key.
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  call,
  type SandboxesBehindIngress,
  startSandboxesBehindIngress,
  type Wish,
} from './sandboxes-behind-ingress.ts';
import type { TestGateway } from './test-gateway.ts';

const origin = 'https://app.example';
let sandboxes: SandboxesBehindIngress;
let gateway: TestGateway;
let sandbox: Awaited<ReturnType<SandboxesBehindIngress['addSandbox']>>;
let authorization: string;

beforeAll(async () => {
  sandboxes = await startSandboxesBehindIngress();
  gateway = await sandboxes.startGateway('tunnel', { browserOrigins: [origin] });
  sandbox = await sandboxes.addSandbox();
  authorization = `Bearer ${(await sandboxes.api.user({ memberOf: 'main' })).key}`;
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandboxes[Symbol.asyncDispose]();
});

const ask = ({ headers, ...wish }: Wish = {}, path = '/filesystem/a') =>
  call(gateway.port, `/main/sandboxes/${sandbox.name}${path}`, { ...wish, headers: { origin, ...headers } });
const preflight = { method: 'OPTIONS', headers: { 'access-control-request-method': 'PUT' } };

test('a preflight is answered by the gateway, without a key', async () => {
  const { status, headers, body } = await ask(preflight);
  expect([status, body]).toEqual([204, '']);
  expect(headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': expect.stringContaining('PUT'),
    'access-control-allow-headers': expect.stringContaining('Authorization'),
  });
});

test('answers and refusals can be read by a page that is allowed', async () => {
  const answered = await ask({ headers: { authorization } });
  expect([answered.status, answered.headers['access-control-allow-origin']]).toEqual([200, origin]);
  const refused = await ask();
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, origin]);
  const missing = await ask({ headers: { authorization } }, '/port/1234');
  expect(missing.status).toBeGreaterThanOrEqual(400);
  expect(missing.headers['access-control-allow-origin']).toBe(origin);
});

test('a page of another origin gets nothing of it', async () => {
  const other = { origin: 'https://other.example' };
  const { status, headers } = await ask({ ...preflight, headers: { ...preflight.headers, ...other } });
  expect([status, headers['access-control-allow-methods']]).toEqual([401, undefined]);
  const refused = await ask({ headers: other });
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, undefined]);
});

test('the address of a workload on a host of its own is not touched', async () => {
  const { status, headers } = await call(gateway.port, '/filesystem/a', {
    ...preflight,
    headers: { ...preflight.headers, origin, host: sandbox.host },
  });
  expect([status, headers['access-control-allow-methods']]).toEqual([401, undefined]);
});
