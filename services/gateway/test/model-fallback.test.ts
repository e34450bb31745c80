// A model with several connections: they are tried in order until one begins an answer, and never after that.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerJson, type ProviderAnswer, ProviderStandIn } from '../../../tests/harness/provider-stand-in.ts';
import { sendToHost } from '../../../tests/harness/send-to-host.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway } from './test-gateway.ts';

const names = ['first', 'second', 'third', 'fourth'] as const;
type Name = (typeof names)[number];
const chat = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
const good = answerJson({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } });

let workloads: ApiWithWorkloads;
let gateway: TestGateway;
/** Waits for providers no longer than tests can. */
let impatient: TestGateway;
let providers: Record<Name, ProviderStandIn>;
let spare: ProviderStandIn;
let unused: ProviderStandIn;
beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  gateway = await startTestGateway(workloads, directConnector(1));
  impatient = await startTestGateway(workloads, directConnector(1), { models: { providerMs: 5_000 } });
  const start = () => ProviderStandIn.start();
  [spare, unused] = [await start(), await start()];
  spare.answer = good;
  providers = { first: await start(), second: await start(), third: await start(), fourth: await start() };
  for (const [name, { url }] of Object.entries({ ...providers, spare, unused })) await connect(name, url);
  for (const name of ['refused', 'refused-too']) await connect(name, `http://127.0.0.1:${await closedPort()}`);
  for (const [name, integrationConnections] of Object.entries({
    one: ['first'],
    all: [...names],
    late: ['refused', 'first'],
    dead: ['refused', 'refused-too'],
  }))
    await addModel(name, integrationConnections);
});
beforeEach(() => {
  for (const provider of Object.values(providers)) {
    provider.requests.length = 0;
    provider.answer = good;
  }
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await impatient?.[Symbol.asyncDispose]();
  for (const provider of Object.values({ ...providers, spare, unused })) await provider?.[Symbol.asyncDispose]();
  await workloads?.[Symbol.asyncDispose]();
});

async function write(path: string, name: string, spec: object): Promise<void> {
  const { status, text } = await workloads.api.admin.post(path, { metadata: { name }, spec });
  expect(status, text).toBe(200);
}

const connect = (name: string, url: string) =>
  write('/integrations/connections', name, {
    ...{ integration: 'hf_private_endpoint', secret: { API_KEY: `key-${name}` }, config: { BASE_URL: url } },
  });

const addModel = (name: string, integrationConnections: readonly string[]) =>
  write('/models', name, { integrationConnections, runtime: { type: 'hf_private_endpoint', model: 'm' } });

/** Nothing listens there. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return address === null || typeof address === 'string' ? 0 : address.port;
}

const call = (model: string, { url } = gateway) =>
  sendToHost(url, new URL(url).host, {
    ...{ path: `/main/models/${model}`, method: 'POST', body: chat },
    headers: { authorization: `Bearer ${workloads.api.adminKey}`, 'content-type': 'application/json' },
  });

const counts = () => names.map((name) => providers[name].requests.length);
const attemptsIn = ({ headers }: { headers: Readonly<Record<string, unknown>> }) =>
  Object.entries(headers).find(([name]) => name.endsWith('-provider-attempts'))?.[1];
const codeOf = ({ text }: { text: string }) => JSON.parse(text).error.code;

const status =
  (code: number): ProviderAnswer =>
  (_request, response) =>
    response.writeHead(code).end(`status ${code}`);

test.each([408, 429, 500, 502, 503, 529])(
  'after an answer with %i the next connection is tried, with the same body and its own key',
  async (code) => {
    providers.first.answer = status(code);
    const answer = await call('all');
    expect([answer.status, attemptsIn(answer), counts()]).toEqual([200, '2', [1, 1, 0, 0]]);
    expect(providers.second.last.body).toBe(providers.first.last.body);
    expect(providers.second.last.headers.authorization).toBe('Bearer key-second');
  },
);

test.each([400, 401, 403, 404, 409, 413, 422])(
  'an answer with %i is the caller’s own and is passed on',
  async (code) => {
    providers.first.answer = status(code);
    const answer = await call('all');
    expect([answer.status, answer.text, attemptsIn(answer), counts()]).toEqual([
      code,
      `status ${code}`,
      '1',
      [1, 0, 0, 0],
    ]);
  },
);

test('three connections are tried at most, and the last answer is passed on as it is', async () => {
  for (const name of names) providers[name].answer = status(503);
  const answer = await call('all');
  expect([answer.status, answer.text, attemptsIn(answer), counts()]).toEqual([503, 'status 503', '3', [1, 1, 1, 0]]);
});

test('a connection that is refused is passed over; where all are, the answer is the gateway’s own', async () => {
  const answer = await call('late');
  expect([answer.status, attemptsIn(answer), counts()]).toEqual([200, '2', [1, 0, 0, 0]]);
  const dead = await call('dead');
  expect([dead.status, codeOf(dead)]).toEqual([502, 'PROVIDER_UNREACHABLE']);
});

test('a provider that breaks off before its answer is passed over', async () => {
  providers.first.answer = (_request, response) => response.destroy();
  const answer = await call('all');
  expect([answer.status, attemptsIn(answer), counts()]).toEqual([200, '2', [1, 1, 0, 0]]);
});

describe.concurrent('with a bound on the time of an answer', () => {
  /** Each test has a provider of its own, in front of one that answers. */
  async function callBefore(first: ProviderAnswer, model: string, behind: readonly string[] = ['spare']) {
    const provider = await ProviderStandIn.start();
    provider.answer = first;
    await connect(model, provider.url);
    await addModel(model, [model, ...behind]);
    return { provider, answer: call(model, impatient) };
  }

  test('a provider that does not begin an answer in time is passed over', async () => {
    const { provider, answer } = await callBefore(() => {}, 'slow');
    await using _ = provider;
    const { status, headers } = await answer;
    expect([status, attemptsIn({ headers }), provider.requests.length]).toEqual([200, '2', 1]);
  });

  test('the answer is a timeout where the last provider does not begin one', async () => {
    const { provider, answer } = await callBefore(() => {}, 'slow-and-last', []);
    await using _ = provider;
    const late = await answer;
    expect([late.status, codeOf(late)]).toEqual([504, 'PROVIDER_TIMEOUT']);
  });

  test('what was sent to a provider that did not begin its answer is estimated', async () => {
    await using hasty = await startTestGateway(workloads, directConnector(1), { models: { providerMs: 500 } });
    const provider = await ProviderStandIn.start();
    await using _ = provider;
    provider.answer = () => {};
    await connect('billed', provider.url);
    await addModel('billed', ['billed']);
    expect((await call('billed', hasty)).status).toBe(504);
    const sent = await hasty.registry.getSingleMetric('berth_gateway_model_tokens_total')?.get();
    const counted = sent?.values.map(({ labels, value }) => [labels.direction, value]);
    expect(counted).toEqual([
      ['sent', Math.ceil(provider.last.body.length / 4)],
      ['received', 0],
    ]);
  });

  test.each(['breaks off', 'falls silent'])(
    'when a provider %s within its answer, the answer is cut and no other is tried',
    async (way) => {
      const half: ProviderAnswer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: half\n\n', () => void (way === 'breaks off' && response.destroy()));
      };
      const { provider, answer } = await callBefore(half, way.replace(' ', '-'), ['unused']);
      await using _ = provider;
      await expect(answer).rejects.toThrow(/aborted|terminated|hang up|premature/i);
      expect([provider.requests.length, unused.requests.length]).toEqual([1, 0]);
    },
  );
});
