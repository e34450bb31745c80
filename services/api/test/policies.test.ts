import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const policy = (name: string, spec: object) => api.admin.post('/policies', named(name, spec));
const refusal = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

test('a policy whose lists do not match its type is refused, so that none is ignored', async () => {
  const locations = [{ type: 'country', name: 'de' }];
  const flavors = [{ type: 'gpu', name: 't4' }];
  for (const spec of [
    { locations },
    { flavors },
    { type: 'flavor', locations },
    { type: 'location', locations, flavors },
  ])
    expect(refusal(await policy('odd', spec))).toEqual([400, 'policy_type']);
  expect((await policy('here', { type: 'location', locations })).status).toBe(200);
  expect(refusal(await api.admin.put('/policies/here', named('here', { type: 'flavor' })))).toEqual([
    400,
    'policy_type',
  ]);
});

test('a limit on tokens is refused while no tokens are counted', async () => {
  expect(refusal(await policy('tokens', { type: 'maxToken' }))).toEqual([400, 'token_policy']);
  expect(refusal(await policy('tokens', { maxTokens: { total: 10 } }))).toEqual([400, 'setting_not_honoured']);
});

test('a policy is named only by the kinds in its resourceTypes', async () => {
  await policy('for-functions', { type: 'location', resourceTypes: ['function'] });
  const policies = ['for-functions'];
  const refused = await api.admin.post('/agents', named('bound', { policies }));
  expect(refusal(refused)).toEqual([400, 'policy_not_for_kind']);
  expect(refused.body.message).toContain('function');
  expect((await api.admin.post('/functions', named('bound', { policies }))).status).toBe(200);
});

test('a model takes no policy that nothing would keep to', async () => {
  await policy('any', { type: 'location' });
  expect(refusal(await api.admin.post('/models', named('bound', { policies: ['any'] })))).toEqual([
    400,
    'setting_not_honoured',
  ]);
  expect((await api.admin.post('/models', named('free', { policies: [] }))).status).toBe(200);
});
