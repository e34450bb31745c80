// Models that a provider offers to a connection. The provider is a stand-in: a third party on the internet.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiConfig, startApi } from '@berth/api';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Client } from '../../../tests/harness/client.ts';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { answerJson, ProviderStandIn } from '../../../tests/harness/provider-stand-in.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

const key = 'sk-of-the-provider-0123456789';
const list = {
  object: 'list',
  data: [
    { id: 'small', object: 'model', created: 1_700_000_000, owned_by: 'maker' },
    { id: 'org/large', object: 'model', created: 1_800_000_000, owned_by: 'maker' },
  ],
};
const small = { id: 'small', name: 'small', author: 'maker', created_at: '2023-11-14T22:13:20.000Z' };
const large = { id: 'org/large', name: 'org/large', author: 'maker', created_at: '2027-01-15T08:00:00.000Z' };

let api: TestApi;
let provider: ProviderStandIn;
let admin: Client;
const ends = new AsyncDisposableStack();
const logged: string[] = [];
beforeAll(async () => {
  provider = ends.use(await ProviderStandIn.start());
  api = ends.use(await startTestApi());
  const beside = await startBeside();
  ends.defer(() => beside.stop());
  admin = api.admin.with({ url: beside.address });
  await connect('ai');
});

/** An api on the same database, whose operator lets it call this machine. One connection for the requests of an account. */
const startBeside = () =>
  startApi({
    config: ApiConfig.parse({ port: 0, node: { enabled: false }, brand: conformanceBrand(), connectionsPerAccount: 1 }),
    placement: PlacementConfig.parse({}),
    databaseUrl: api.databaseUrl,
    masterKeys: api.masterKeys,
    providers: { allowedRanges: ['127.0.0.1'], addresses: { groq: `${provider.url}/front/` } },
    logger: createLogger({ role: 'api' }, { level: 'debug', destination: { write: (line) => void logged.push(line) } }),
    registry: createMetricsRegistry({ role: 'api' }),
  });

beforeEach(() => {
  provider.requests.length = 0;
  provider.answer = answerJson(list);
});
afterAll(() => ends.disposeAsync());

const connections = '/integrations/connections';

/** A connection for an OpenAI-compatible server of the customer's own. */
async function connect(name: string, spec: object = {}): Promise<void> {
  const usual = { integration: 'hf_private_endpoint', secret: { API_KEY: key }, config: { BASE_URL: provider.url } };
  const made = await admin.post(connections, { metadata: { name }, spec: { ...usual, ...spec } });
  expect(made.status, made.text).toBe(200);
}

const modelsOf = (name: string, client = admin) => client.get(`${connections}/${name}/models`);
const modelOf = (name: string, id: string) => admin.get(`${connections}/${name}/models/${encodeURIComponent(id)}`);
const refusal = ({ status, body }: Answer) => [status, body.error];

test('the models of a provider are listed with the key of the connection', async () => {
  const { status, body } = await modelsOf('ai');
  expect([status, body]).toEqual([200, [small, large]]);
  expect(provider.requests).toHaveLength(1);
  const { method, path, headers } = provider.last;
  expect([method, path, headers.authorization, headers.cookie]).toEqual([
    'GET',
    '/v1/models',
    `Bearer ${key}`,
    undefined,
  ]);
});

test('a provider is asked at the address that the operator has put in front of it', async () => {
  await connect('fronted', { integration: 'groq' });
  expect((await modelsOf('fronted')).body).toEqual([small, large]);
  expect(provider.last.path).toBe('/front/openai/v1/models');
});

test('one model is found by its id, also with a slash in it; another id is 404', async () => {
  expect((await modelOf('ai', 'small')).body).toEqual(small);
  expect((await modelOf('ai', 'org/large')).body).toEqual(large);
  for (const id of ['SMALL', 'large', 'org', '__proto__'])
    expect(refusal(await modelOf('ai', id))).toEqual([404, 'not_found']);
});

test('members may read the list; a missing connection, and one of another workspace, are 404', async () => {
  const member = await api.user({ memberOf: api.workspace });
  expect((await modelsOf('ai', admin.with({ key: member.key }))).body).toEqual([small, large]);
  await api.addWorkspace('other');
  const missing = await modelsOf('nothing');
  const foreign = await modelsOf('ai', admin.with({ workspace: 'other' }));
  expect([refusal(missing), foreign.text]).toEqual([[404, 'not_found'], missing.text]);
  expect(provider.requests).toHaveLength(1);
});

test('a connection to a tool, and one to nothing, offer no models', async () => {
  await connect('tool', { integration: 'github' });
  await connect('plain', { integration: undefined });
  for (const name of ['tool', 'plain']) {
    expect((await modelsOf(name)).body).toEqual([]);
    expect(refusal(await modelOf(name, 'small'))).toEqual([404, 'not_found']);
  }
  expect(provider.requests).toEqual([]);
});

describe('a connection that cannot be used', () => {
  test.each([
    ['without a list of models', { integration: 'azure-openai-service' }, 'no_model_list', 'spec.runtime.model'],
    ['without a key', { secret: { ONE: 'a', TWO: 'b' } }, 'provider_key_missing', 'spec.secret.API_KEY'],
    ['without an address', { config: {} }, 'provider_address', 'spec.config.BASE_URL'],
    ['with another scheme', { config: { BASE_URL: 'file:///etc/passwd' } }, 'provider_address', 'BASE_URL'],
    [
      'with an address inside',
      { config: { BASE_URL: 'http://127.0.0.2:1' } },
      'provider_address',
      'no address on the internet',
    ],
    [
      'with metadata as its address',
      { config: { BASE_URL: 'http://169.254.169.254' } },
      'provider_address',
      'BASE_URL',
    ],
  ])('%s says what to correct', async (what, spec, error, hint) => {
    const name = what.replaceAll(' ', '-');
    await connect(name, spec);
    const refused = await modelsOf(name);
    expect([...refusal(refused), refused.body.message]).toEqual([400, error, expect.stringContaining(hint)]);
    expect(refusal(await modelOf(name, 'small'))).toEqual([400, error]);
    expect(provider.requests).toEqual([]);
  });

  test('whose server does not answer is told apart from a wrong key', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    await connect('gone', { config: { BASE_URL: `http://127.0.0.1:${port}` } });
    const failed = await modelsOf('gone');
    expect([...refusal(failed), failed.body.message]).toEqual([
      503,
      'provider_not_reached',
      expect.stringMatching(/The connection failed\. Check the address of the connection gone/),
    ]);
  });
});

describe('a provider that', () => {
  test.each([401, 403])('refuses the key with %d is named, with what to do', async (status) => {
    provider.answer = answerJson({ error: { message: `Incorrect API key provided: ${key}` } }, status);
    const refused = await modelsOf('ai');
    expect([...refusal(refused), refused.body.message]).toEqual([
      400,
      'provider_key_refused',
      expect.stringMatching(/refused the key of the connection ai with status \d+.+change spec\.secret/),
    ]);
  });

  test.each<[string, (response: ServerResponse) => unknown]>([
    ['fails', (response) => response.writeHead(500).end('{"data":[]}')],
    ['redirects', (response) => response.writeHead(302, { location: `${provider.url}/v1/models` }).end()],
    ['answers something else', (response) => response.end('<html></html>')],
    ['answers in another form', (response) => response.end('{"data":{"id":"small"}}')],
  ])('%s has no list, and is asked once', async (_what, answer) => {
    provider.answer = (_request, response) => answer(response);
    expect(refusal(await modelsOf('ai'))).toEqual([503, 'provider_answer']);
    expect(provider.requests).toHaveLength(1);
  });

  test('sends more than 4 MiB is not read', async () => {
    const item = { id: 'x'.repeat(1024 * 1024) };
    provider.answer = answerJson({ data: [item, item, item, item] });
    const failed = await modelsOf('ai');
    expect([...refusal(failed), failed.body.message]).toEqual([
      503,
      'provider_not_reached',
      expect.stringContaining('larger than 4194304 bytes'),
    ]);
  });

  test('shows the key shows it to no caller and in no log', async () => {
    const told = `seen: ${key}`;
    for (const status of [200, 400, 401, 500])
      for (const body of [{ data: [{ id: told, owned_by: told }] }, { error: told }, told]) {
        provider.answer = answerJson(body, status, { 'x-echo': told });
        const answer = await modelsOf('ai');
        expect(answer.text).not.toContain(key);
        expect([...answer.headers.values()].join()).not.toContain(key);
      }
    expect(provider.last.headers.authorization).toContain(key);
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join('')).not.toContain(key);
  });

  test('does not answer holds up no other request of the account', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    provider.answer = (_request, response) => asked.resolve(response);
    const waiting = modelsOf('ai');
    const response = await asked.promise;
    expect((await admin.get(connections)).status).toBe(200);
    response.end(JSON.stringify(list));
    expect((await waiting).body).toEqual([small, large]);
  });
});

describe('a stored key', () => {
  const elsewhere = 'https://elsewhere.example';
  const change = (spec: object) => admin.put(`${connections}/kept`, { metadata: { name: 'kept' }, spec });

  test('is not sent to another address than before until it is sent again', async () => {
    await connect('kept');
    const masked = { API_KEY: '***' };
    for (const spec of [
      { config: { BASE_URL: elsewhere } },
      { config: { BASE_URL: elsewhere }, secret: masked },
      { integration: 'openai' },
      { integration: 'openai', config: {}, secret: masked },
      // A model could name the connection for another provider.
      { integration: 'github', config: { BASE_URL: elsewhere } },
      { config: { BASE_URL: elsewhere }, secret: { API_KEY: '***', OTHER: 'new' } },
    ]) {
      const refused = await change(spec);
      expect([spec, ...refusal(refused)]).toEqual([spec, 400, 'secret_for_other_address']);
    }
    expect((await modelsOf('kept')).body).toEqual([small, large]);
  });

  test('stays with changes that leave the address alone, and moves with the value', async () => {
    expect((await change({ config: { BASE_URL: `${provider.url}/`, API_VERSION: '1' } })).status).toBe(200);
    expect((await change({ config: {} })).status).toBe(200);
    const moved = await change({
      config: { BASE_URL: `${provider.url}/base` },
      secret: { API_KEY: 'sk-new-0123456789' },
    });
    expect(moved.status).toBe(200);
    await modelsOf('kept');
    expect([provider.last.path, provider.last.headers.authorization]).toEqual([
      '/base/v1/models',
      'Bearer sk-new-0123456789',
    ]);
  });
});
