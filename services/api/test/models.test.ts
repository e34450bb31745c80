import { providers } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const spec = { integration: 'openai', secret: { API_KEY: 'sk-test' } };
  await api.admin.post('/integrations/connections', named('ai', spec));
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const refusal = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];
const model = (name: string, type: string | undefined, ...integrationConnections: string[]) =>
  named(name, { integrationConnections, runtime: { type, model: 'small' } });

test('a model is ready at once, and says nothing else; one that is not enabled is deactivated', async () => {
  const { body } = await api.admin.post('/models', model('ready', 'openai', 'ai'));
  expect([body.status, body.events.map(({ type, message }: Record<string, string>) => [type, message])]).toEqual([
    'DEPLOYED',
    [['deployment', 'Ready.']],
  ]);
  const off = await api.admin.put('/models/ready', named('ready', { enabled: false }));
  expect(off.body.status).toBe('DEACTIVATED');
});

test('a model with connections has a type whose provider is served', async () => {
  for (const type of ['public_model', 'mcp']) {
    const refused = await api.admin.post('/models', model('odd', type, 'ai'));
    expect([...refusal(refused), refused.body.message]).toEqual([
      400,
      'no_provider',
      expect.stringContaining('openai'),
    ]);
    expect(refused.body.message).not.toContain('vertexai');
  }
  const refused = await api.admin.post('/models', model('odd', 'vertexai', 'ai'));
  expect([...refusal(refused), refused.body.message]).toEqual([
    400,
    'provider_not_served',
    expect.stringContaining('signed tokens'),
  ]);
  for (const { name, unserved } of providers)
    if (unserved === undefined)
      expect((await api.admin.post('/models', model(name.replaceAll('_', '-'), name, 'ai'))).status).toBe(200);
});

test('a model without connections is stored whatever its type, and a connection is refused for it later', async () => {
  expect((await api.admin.post('/models', model('later', 'vertexai'))).status).toBe(200);
  const refused = await api.admin.put('/models/later', named('later', { integrationConnections: ['ai'] }));
  expect(refusal(refused)).toEqual([400, 'provider_not_served']);
  // Without a type the connection decides.
  expect((await api.admin.post('/models', model('untyped', undefined, 'ai'))).status).toBe(200);
});

test('a type that an earlier version stored does not stand in the way of other changes', async () => {
  await api.admin.post('/models', model('older', 'mcp'));
  const spec = { enabled: true, integrationConnections: ['ai'], runtime: { type: 'mcp' } };
  await api.database
    .updateTable('resources')
    .set({ spec: JSON.stringify(spec) })
    .where('name', '=', 'older')
    .execute();
  expect((await api.admin.put('/models/older', named('older', { enabled: false }))).status).toBe(200);
});

test('fields of a model that nothing reads are warned of', async () => {
  const runtime = { type: 'openai', generation: 'mk3', endpointName: 'mine' };
  const { body } = await api.admin.post('/models', named('noted', { runtime, flavors: [{ type: 'gpu', name: 't4' }] }));
  const messages = body.events.flatMap(({ type, message }: Record<string, string>) =>
    type === 'warning' ? [message] : [],
  );
  expect(messages).toEqual([
    expect.stringMatching(/^spec\.runtime\.endpointName has no effect: .+BASE_URL/),
    expect.stringMatching(/^spec\.flavors has no effect: /),
  ]);
});
