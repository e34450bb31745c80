import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const policy = (name: string, spec: object) => api.admin.post('/policies', named(name, spec));
const refusal = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

const locations = [{ type: 'country', name: 'de' }];
const flavors = [{ type: 'gpu', name: 't4' }];
const maxTokens = { granularity: 'day', total: 1000 };

test('a policy whose fields do not match its type is refused, so that none is ignored', async () => {
  for (const spec of [
    { locations },
    { flavors },
    { maxTokens },
    { type: 'flavor', locations },
    { type: 'location', locations, flavors },
    { type: 'location', locations, maxTokens },
    { type: 'maxToken', maxTokens, locations },
  ])
    expect(refusal(await policy('odd', spec))).toEqual([400, 'policy_type']);
  expect((await policy('here', { type: 'location', locations })).status).toBe(200);
  expect(refusal(await api.admin.put('/policies/here', named('here', { type: 'flavor' })))).toEqual([
    400,
    'policy_type',
  ]);
});

describe('a limit on tokens', () => {
  test('needs a granularity and a number above 0', async () => {
    for (const incomplete of [
      undefined,
      {},
      { granularity: 'day' },
      { total: 10 },
      { granularity: 'day', input: 0, output: 0, total: 0 },
      { granularity: 'day', step: 2, ratioInputOverOutput: 0 },
    ])
      expect(refusal(await policy('tokens', { type: 'maxToken', maxTokens: incomplete }))).toEqual([
        400,
        'token_limit_missing',
      ]);
    for (const limit of ['input', 'output', 'total'])
      expect((await policy(limit, { type: 'maxToken', maxTokens: { granularity: 'hour', [limit]: 1 } })).status).toBe(
        200,
      );
  });

  test('holds for one unit of its granularity unless it says more', async () => {
    expect((await policy('one', { type: 'maxToken', maxTokens })).body.spec.maxTokens).toEqual({
      step: 1,
      ...maxTokens,
    });
    const week = { ...maxTokens, step: 7 };
    expect((await policy('week', { type: 'maxToken', maxTokens: week })).body.spec.maxTokens).toEqual(week);
    const shorter = await api.admin.put('/policies/week', named('week', { maxTokens }));
    expect(shorter.body.spec.maxTokens).toEqual({ step: 1, ...maxTokens });
  });

  test('takes no ratio of input and output but 0', async () => {
    const withRatio = (ratioInputOverOutput: number) => ({
      type: 'maxToken',
      maxTokens: { ...maxTokens, ratioInputOverOutput },
    });
    const refused = await policy('ratio', withRatio(2));
    expect([...refusal(refused), refused.body.message]).toEqual([
      400,
      'setting_not_honoured',
      expect.stringContaining('spec.maxTokens.ratioInputOverOutput'),
    ]);
    expect((await policy('ratio', withRatio(0))).status).toBe(200);
  });

  test('is for models alone', async () => {
    const both = await policy('both', { type: 'maxToken', maxTokens, resourceTypes: ['model', 'agent'] });
    expect([...refusal(both), both.body.message]).toEqual([
      400,
      'token_policy_kinds',
      expect.stringContaining('agent'),
    ]);
    for (const [name, resourceTypes] of Object.entries({ some: ['model'], any: [], rest: undefined }))
      expect((await policy(name, { type: 'maxToken', maxTokens, resourceTypes })).status).toBe(200);
    for (const path of ['agents', 'functions', 'jobs']) {
      const refused = await api.admin.post(`/${path}`, named('bound', { policies: ['any'] }));
      expect(refusal(refused)).toEqual([400, 'token_policy_elsewhere']);
    }
    expect((await api.admin.post('/models', named('bound', { policies: ['any', 'some'] }))).status).toBe(200);
    expect((await api.admin.get('/policies/any/usages')).body.models).toEqual(['bound']);
  });
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
  await policy('place', { type: 'location' });
  await policy('nothing', {});
  for (const name of ['place', 'nothing']) {
    const refused = await api.admin.post('/models', named('placed', { policies: [name] }));
    expect(refusal(refused)).toEqual([400, 'policy_not_for_models']);
  }
  expect((await api.admin.post('/models', named('free', { policies: [] }))).status).toBe(200);
});

test('a policy does not become one that its users may not name', async () => {
  await policy('of-model', { type: 'maxToken', maxTokens });
  await policy('of-agent', { type: 'location' });
  await api.admin.post('/models', named('limited', { policies: ['of-model'] }));
  await api.admin.post('/agents', named('limited', { policies: ['of-agent'] }));
  const change = (name: string, spec: object) => api.admin.put(`/policies/${name}`, named(name, spec));
  const toPlace = await change('of-model', { type: 'location', maxTokens: {} });
  expect([...refusal(toPlace), toPlace.body.message]).toEqual([
    409,
    'in_use',
    expect.stringContaining('the model limited'),
  ]);
  const toTokens = await change('of-agent', { type: 'maxToken', maxTokens });
  expect([...refusal(toTokens), toTokens.body.message]).toEqual([
    409,
    'in_use',
    expect.stringContaining('the agent limited'),
  ]);
  expect((await change('of-agent', { type: 'flavor' })).status).toBe(200);
  await api.admin.delete('/models/limited');
  expect((await change('of-model', { type: 'location', maxTokens: {} })).status).toBe(200);
});
