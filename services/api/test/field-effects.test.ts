// No setting is accepted and ignored: it is refused, or an event says that it has no effect.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const named = (name: string, spec: object = {}) => ({ metadata: { name }, spec });
const warningsOf = ({ body }: { body: { events: { type: string; message: string }[] } }) =>
  body.events.filter(({ type }) => type === 'warning').map(({ message }) => message);

describe('a network rule that nothing enforces', () => {
  const rule = { proxy: { allowedDomains: ['example.com'] } };

  test('is refused when a sandbox is created, with the reason and the next step, and nothing is stored', async () => {
    const { status, body } = await api.admin.post('/sandboxes', named('walled', { network: rule }));
    expect([status, body.code]).toEqual([400, 'SETTING_NOT_HONOURED']);
    expect(body.message).toMatch(/^spec\.network\.proxy\.allowedDomains is refused: .+ Leave it out/);
    expect((await api.admin.get('/sandboxes/walled')).status).toBe(404);
  });

  test('is refused when a sandbox is changed, and what was there stays', async () => {
    await api.admin.post('/sandboxes', named('open'));
    const refused = await api.admin.put('/sandboxes/open', named('open', { network: rule }));
    expect([refused.status, refused.body.error]).toEqual([400, 'setting_not_honoured']);
    expect((await api.admin.get('/sandboxes/open')).body.spec.network).toBeUndefined();
  });

  test('is taken when it is empty and changes nothing', async () => {
    const network = { allowedDomains: [], proxy: { routing: [] }, firewall: { rulesets: ['default'] } };
    const made = await api.admin.post('/sandboxes', named('plain', { network }));
    expect([made.status, made.body.spec.network]).toEqual([200, network]);
  });

  test('does not stand in the way of other changes where an earlier version stored it', async () => {
    await api.admin.post('/sandboxes', named('older'));
    await api.database
      .updateTable('resources')
      .set({ spec: JSON.stringify({ enabled: true, region: 'local', network: rule }) })
      .where('name', '=', 'older')
      .execute();
    expect((await api.admin.put('/sandboxes/older', named('older', { enabled: false }))).status).toBe(200);
  });
});

describe('a setting that only adds something', () => {
  test('is stored, and a warning says that it has no effect and why', async () => {
    const made = await api.admin.post('/sandboxes', named('big', { runtime: { storageMb: 4096, memory: 512 } }));
    expect(made.body.spec.runtime.storageMb).toBe(4096);
    expect(warningsOf(made)).toEqual([
      expect.stringMatching(/^spec\.runtime\.storageMb has no effect: .+runner\.diskMb/),
    ]);
    expect(warningsOf(await api.admin.get('/sandboxes/big'))).toEqual(warningsOf(made));
  });

  test('is warned of once: a change that leaves it alone adds no event, one that sets another does', async () => {
    const runtime = { storageMb: 4096, memory: 512 };
    const change = async (more: object) =>
      warningsOf(await api.admin.put('/sandboxes/big', named('big', { runtime: { ...runtime, ...more } })));
    expect(await change({})).toHaveLength(1);
    expect(await change({ terminationGracePeriodSeconds: 5 })).toEqual([
      expect.stringContaining('storageMb'),
      expect.stringContaining('terminationGracePeriodSeconds'),
    ]);
  });

  test('is not warned of when it holds a default', async () => {
    const runtime = { memory: 512, snapshotEnabled: false, ports: [{ target: 3000, protocol: 'http' }] };
    expect(warningsOf(await api.admin.post('/sandboxes', named('usual', { runtime })))).toEqual([]);
  });
});

test('a workspace refuses settings that it would not enforce', async () => {
  const put = async (body: object) => {
    const { status, body: answer } = await api.admin.put(`/workspaces/${api.workspace}`, body);
    return [status, answer.error];
  };
  const refused = [400, 'setting_not_honoured'];
  expect(await put({ groupMappings: [{ groupName: 'engineers', role: 'member' }] })).toEqual(refused);
  expect(await put({ runtime: { generation: 'mk2' } })).toEqual(refused);
  expect(await put({ runtime: { sandbox: { disableProcessLogging: true } } })).toEqual(refused);
  const harmless = { groupMappings: [], runtime: { generation: 'mk3', sandbox: { disableProcessLogging: false } } };
  expect(await put(harmless)).toEqual([200, undefined]);
  const made = await api.admin.post('/workspaces', {
    name: 'mapped',
    groupMappings: [{ groupName: 'x', role: 'admin' }],
  });
  expect([made.status, made.body.error]).toEqual(refused);
});

test.each([
  [
    '/jobs',
    { runtime: { timeout: 5, ports: [{ target: 80, protocol: 'udp' }] } },
    'spec.runtime.ports[].protocol has no effect: nothing connects',
  ],
  [
    '/models',
    { runtime: { endpointName: 'mine' } },
    'spec.runtime.endpointName has no effect: an endpoint is found by its address',
  ],
  ['/applications', { port: 3000 }, 'spec.port has no effect: applications do not run yet'],
  [
    '/agents',
    { triggers: [{ type: 'http', configuration: { tasks: [{ city: 'Oslo' }] } }] },
    'spec.triggers[].configuration.tasks has no effect: an agent runs nothing by schedule',
  ],
])('%s says what of it has no effect', async (path, spec, message) => {
  expect(warningsOf(await api.admin.post(path, named('stored', spec)))).toEqual([expect.stringContaining(message)]);
});

test('notes are kept as they came and promise nothing else', async () => {
  const repository = { type: 'github', url: 'https://example.com/a/b' };
  const agent = await api.admin.post('/agents', named('noted', { repository }));
  expect([agent.body.spec.repository, warningsOf(agent)]).toEqual([repository, []]);
  const spec = { type: 'mcp', runtime: { type: 'mcp', ports: [{ target: 3000, name: 'web' }] } };
  const made = await api.admin.post('/functions', named('noted', spec));
  expect([made.body.spec.type, made.body.spec.runtime, warningsOf(made)]).toEqual(['mcp', spec.runtime, []]);
  const runtime = { ports: [{ target: 3000, name: 'metrics' }] };
  const job = await api.admin.post('/jobs', named('noted', { runtime }));
  expect([job.body.spec.runtime, warningsOf(job)]).toEqual([expect.objectContaining(runtime), []]);
  const template = await api.admin.post('/volume_templates', named('noted', { description: 'Tools' }));
  expect(template.body.spec.description).toBe('Tools');
});
