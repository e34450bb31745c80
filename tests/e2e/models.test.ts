// Models as their users call them: with the official clients of providers, unmodified, that are pointed at a gateway. The
// gateways are processes as an operator runs them; the providers are stand-ins, because they are third parties.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { sql } from 'kysely';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../engines/free-port.ts';
import { runEnvironment, runFolder } from '../../engines/run.ts';
import { ServerProcess } from '../../engines/server-process.ts';
import { conformanceBrand } from '../harness/conformance-brand.ts';
import { answerJson, ProviderStandIn } from '../harness/provider-stand-in.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { until } from '../harness/until.ts';
import { answerInDialect, said, tool, usage } from './models/dialect-answers.ts';
import { hostileRequests, showTheirKey } from './models/hostile-requests.ts';

const brand = conformanceBrand();
const providerKey = 'sk-provider-key-that-nobody-sees';
const question = { role: 'user' as const, content: 'What is the weather in Oslo?' };
const parameters = { type: 'object' as const, properties: { city: { type: 'string' } } };
/** Tokens of one request to the stand-in. */
const cost = { ...usage, cached: 0 };
const tokensOfOne = usage.sent + usage.received;

interface Gateway {
  readonly url: string;
  readonly process: ServerProcess;
  readonly log: string;
}

let made: AsyncDisposableStack;
let api: TestApi;
let provider: ProviderStandIn;
let gateways: readonly Gateway[];
let first: Gateway;

beforeAll(async () => {
  made = new AsyncDisposableStack();
  api = made.use(await startTestApi());
  provider = made.use(await ProviderStandIn.start(answerInDialect));
  gateways = await Promise.all([1, 2, 3].map(startGateway));
  const [one] = gateways;
  if (one === undefined) throw new Error('No gateway was started.');
  first = one;
  for (const type of ['openai', 'anthropic', 'gemini'])
    await write('/integrations/connections', type, { integration: type, secret: { API_KEY: providerKey } });
  for (const type of ['openai', 'anthropic', 'gemini']) await addModel(type, type);
});
beforeEach(() => {
  provider.requests.length = 0;
  provider.answer = answerInDialect;
});
afterAll(() => made?.disposeAsync());

async function startGateway(number: number): Promise<Gateway> {
  const port = await freePort();
  const log = join(await runFolder(), `models-gateway-${number}.log`);
  const standIn = { openai: provider.url, anthropic: provider.url, gemini: provider.url };
  const prices = [
    { provider: 'openai', model: '*', validFrom: '2020-01-01T00:00:00Z', sent: '3', cached: '1', received: '7' },
  ];
  const process = made.use(
    new ServerProcess({
      roles: 'gateway',
      log,
      env: {
        BERTH_POSTGRES_URL: api.databaseUrl,
        BERTH_MASTER_KEYS: api.masterKeysVariable,
        BERTH_API_BRAND_LONG: brand.long,
        BERTH_API_BRAND_SHORT: brand.short,
        BERTH_GATEWAY_PORT: String(port),
        BERTH_GATEWAY_MODELS_PRICES: JSON.stringify(prices),
        BERTH_HEALTH_PORTS_GATEWAY: '0',
        BERTH_PROVIDERS_ADDRESSES: JSON.stringify(standIn),
        BERTH_PROVIDERS_ALLOWED_RANGES: '[127.0.0.0/8]',
        // All clients of this test have one key.
        BERTH_GATEWAY_RATE_LIMITS_PER_KEY_PER_SECOND: '0',
      },
    }),
  );
  await process.start();
  return { url: `http://127.0.0.1:${port}`, process, log };
}

async function write(path: string, name: string, spec: object): Promise<void> {
  const { status, text } = await api.admin.post(path, { metadata: { name }, spec });
  expect(status, text).toBe(200);
}

const addModel = (name: string, type: string, spec: object = {}) =>
  write('/models', name, { integrationConnections: [type], runtime: { type, model: 'm' }, ...spec });

const addressOf = (model: string, { url }: Gateway = first) => `${url}/main/models/${model}`;
const openai = () => new OpenAI({ apiKey: api.adminKey, baseURL: `${addressOf('openai')}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: api.adminKey, baseURL: addressOf('anthropic'), maxRetries: 0 });

const post = (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

let linesRead = 0;
/** Tokens that the first gateway has counted since the last look. */
async function counted(requests = 1): Promise<unknown[]> {
  const lines = async () => (await readFile(first.log, 'utf8')).split('\n').filter((line) => line.includes('"used":{'));
  await until(async () => (await lines()).length >= linesRead + requests);
  const fresh = (await lines()).slice(linesRead);
  linesRead += fresh.length;
  return fresh.map((line) => JSON.parse(line).used);
}

test('chat with the OpenAI client: text, a call of a tool and the usage, whole and streamed', async () => {
  const asked = {
    ...{ model: 'm', messages: [question] },
    tools: [{ type: 'function' as const, function: { name: tool.name, parameters } }],
  };
  const whole = await openai().chat.completions.create(asked);
  expect(whole.choices[0]?.message).toMatchObject({ content: said, tool_calls: [{ function: tool }] });
  expect(whole.usage?.total_tokens).toBe(tokensOfOne);
  const stream = await Array.fromAsync(await openai().chat.completions.create({ ...asked, stream: true }));
  const deltas = stream.map(({ choices }) => choices[0]?.delta);
  expect(deltas.map((delta) => delta?.content ?? '').join('')).toBe(said);
  const pieces = deltas.map((delta) => delta?.tool_calls?.[0]?.function?.arguments ?? '');
  expect(pieces.join('')).toBe(tool.arguments);
  // This client did not ask for the usage, and the next one does.
  expect(stream.filter(({ choices }) => choices.length === 0)).toEqual([]);
  const withUsage = await Array.fromAsync(
    await openai().chat.completions.create({ ...asked, stream: true, stream_options: { include_usage: true } }),
  );
  expect(withUsage.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: tokensOfOne } });
  expect(await counted(3)).toEqual([cost, cost, cost]);
});

test('responses with the OpenAI client, whole and streamed', async () => {
  const whole = await openai().responses.create({ model: 'm', input: question.content });
  expect([whole.output_text, whole.usage?.total_tokens]).toEqual([said, tokensOfOne]);
  const events = await Array.fromAsync(
    await openai().responses.create({ model: 'm', input: question.content, stream: true }),
  );
  expect(events.map(({ type }) => type)).toEqual([
    'response.created',
    'response.output_text.delta',
    'response.completed',
  ]);
  expect(await counted(2)).toEqual([cost, cost]);
});

test('messages with the Anthropic client: text, a call of a tool and the usage, whole and streamed', async () => {
  const asked = {
    ...{ model: 'm', max_tokens: 100, messages: [question] },
    tools: [{ name: tool.name, input_schema: parameters }],
  };
  const expected = [
    { type: 'text', text: said },
    { type: 'tool_use', name: tool.name, input: JSON.parse(tool.arguments) },
  ];
  expect(await anthropic().messages.create(asked)).toMatchObject({ content: expected, stop_reason: 'tool_use' });
  const streamed = await anthropic().messages.stream(asked).finalMessage();
  expect(streamed).toMatchObject({ content: expected, usage: { output_tokens: usage.received } });
  // The version is the one that the client speaks.
  const version = expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/);
  expect(provider.last.headers).toMatchObject({ 'x-api-key': providerKey, 'anthropic-version': version });
  expect(await counted(2)).toEqual([cost, cost]);
});

test('embeddings with the OpenAI client', async () => {
  const made = await openai().embeddings.create({ model: 'm', input: 'Oslo', encoding_format: 'float' });
  expect(made.data[0]?.embedding).toEqual([0.5, 0.25]);
  expect(await counted()).toEqual([{ sent: usage.sent, cached: 0, received: 0 }]);
});

test('Gemini’s own dialect, whole and streamed, with the key where its clients put it', async () => {
  const body = { contents: [{ role: 'user', parts: [{ text: question.content }] }] };
  const place = `${addressOf('gemini')}/v1beta/models/m`;
  const key = { authorization: '', 'x-goog-api-key': api.adminKey };
  const { authorization: _, ...onlyKey } = key;
  const whole = await fetch(`${place}:generateContent`, {
    ...{ method: 'POST', headers: { ...onlyKey, 'content-type': 'application/json' }, body: JSON.stringify(body) },
  });
  expect(JSON.parse(await whole.text()).candidates[0].content.parts[0].text).toBe(said);
  const streamed = await post(`${place}:streamGenerateContent?alt=sse`, body);
  expect(await streamed.text()).toContain('in Oslo.');
  expect(provider.requests.map(({ path, headers }) => [path, headers['x-goog-api-key']])).toEqual([
    ['/v1beta/models/m:generateContent', providerKey],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', providerKey],
  ]);
  expect(await counted(2)).toEqual([cost, cost]);
});

test('messages alone are enough for a chat, at the model’s address and at both paths of a chat', async () => {
  for (const path of ['', '/chat/completions', '/v1/chat/completions']) {
    const answer = await post(addressOf('openai') + path, { messages: [question] });
    expect([path, JSON.parse(await answer.text()).choices[0].message.content]).toEqual([path, said]);
  }
  await counted(3);
});

test('an agent asks a model of its workspace with a key that may do nothing else, and passes its words on', async () => {
  const robot = await api.admin.post('/service_accounts', { name: 'ask-model' });
  const keys = `/service_accounts/${robot.body.client_id}/api_keys`;
  const { apiKey } = (await api.admin.post(keys, { name: 'models', scopes: ['models:call'] })).body;
  const port = await freePort();
  const env = { PORT: String(port), HOST: '127.0.0.1' };
  const agent = spawn(process.execPath, [join(import.meta.dirname, '../../examples/ask-model/server.mjs')], {
    ...{ env: { ...env, ...runEnvironment(), MODEL_URL: addressOf('openai'), MODEL_KEY: apiKey }, stdio: 'inherit' },
  });
  made.defer(() => void agent.kill());
  const url = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ inputs: 'Where is Oslo?' }) });
  expect([answer.status, await answer.text()]).toEqual([200, said]);
  expect(provider.last.headers.authorization).toBe(`Bearer ${providerKey}`);
  expect(await counted()).toEqual([cost]);
});

test('an error of the provider reaches the client byte for byte', async () => {
  const error = { error: { message: 'Ünusual – 🙂', type: 'invalid_request_error', code: null, param: 'messages' } };
  provider.answer = answerJson(error, 400);
  const thrown = await openai()
    .chat.completions.create({ model: 'm', messages: [question] })
    .catch((caught: unknown) => caught);
  expect(thrown).toBeInstanceOf(OpenAI.BadRequestError);
  expect(thrown).toMatchObject({ error: error.error });
  expect(await (await post(addressOf('openai'), { messages: [question] })).text()).toBe(JSON.stringify(error));
});

test('no hostile request shows the key of the provider to its caller or in a log, and no key of a caller reaches a provider', async () => {
  expect(hostileRequests.length).toBeGreaterThanOrEqual(30);
  for (const [name, hostile] of hostileRequests) {
    provider.answer = hostile.answer ?? showTheirKey;
    const text = await hostile.send({ url: first.url, key: api.adminKey }).catch(String);
    expect([name, text.includes(providerKey)]).toEqual([name, false]);
  }
  // Otherwise nothing was tested: most of them reach the stand-in, which has the key and repeats it.
  const reached = provider.requests.filter(({ rawHeaders }) => rawHeaders.some((value) => value.includes(providerKey)));
  expect(reached.length).toBeGreaterThanOrEqual(15);
  expect(JSON.stringify(provider.requests)).not.toContain(api.adminKey);
  expect(await readFile(first.log, 'utf8')).not.toContain(providerKey);
});

/** Tokens of the limits with this name, of all gateways. */
async function told(column: 'sent' | 'nano_usd', subject: string): Promise<number> {
  const { rows } = await sql<{ sum: string }>`
    select coalesce(sum(${sql.ref(column)} ${column === 'sent' ? sql`+ received` : sql``}), 0) as sum
    from limit_windows where subject = ${subject}`.execute(api.database);
  return Number(rows[0]?.sum);
}

const clients = 64;

/** All clients call once, each one of the gateways. Returns the statuses. */
const callAtOnce = (model: string) =>
  Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      const gateway = gateways[client % gateways.length];
      const answer = await post(addressOf(model, gateway), { messages: [question] });
      await answer.text();
      return answer.status;
    }),
  );

test('three gateways keep one limit of tokens, also when one is killed: nothing counts twice, and nothing is forgotten', async () => {
  const limit = 300 * tokensOfOne;
  const maxTokens = { granularity: 'month', step: 1_000, total: limit };
  await write('/policies', 'most', { type: 'maxToken', resourceTypes: ['model'], maxTokens });
  await addModel('limited', 'openai', { policies: ['most'] });
  const { rows } = await sql<{
    uid: string;
  }>`select uid from resources where kind = 'policy' and name = 'most'`.execute(api.database);
  const policy = rows[0]?.uid ?? '';
  let passed = 0;
  let refused = 0;
  for (let round = 0; refused === 0 && round < 20; round += 1) {
    const statuses = await callAtOnce('limited');
    expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    passed += statuses.filter((status) => status === 200).length;
    refused = statuses.filter((status) => status === 429).length;
    // Every gateway has told what it counted, and none has told a request twice.
    await until(async () => (await told('sent', policy)) === passed * tokensOfOne);
    if (round === 1) {
      await gateways[2]?.process.kill();
      await gateways[2]?.process.start();
    }
  }
  // The request that crosses the limit still runs, and so do those in flight with it.
  expect(passed * tokensOfOne).toBeGreaterThanOrEqual(limit);
  expect(passed * tokensOfOne).toBeLessThan(limit + 2 * clients * tokensOfOne);
  await expect.poll(async () => new Set(await callAtOnce('limited')), { timeout: 20_000 }).toEqual(new Set([429]));
  const answer = await post(addressOf('limited'), { messages: [question] });
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.text()).toContain('most');
  expect(await told('sent', policy)).toBe(passed * tokensOfOne);
});

test('a budget of models is exact to the nano-dollar, and blocks with 402', async () => {
  const path = `/accounts/${api.accountId}/budgets/models`;
  // A request costs 21 × 3 + 8 × 7 = 119 millionths of a dollar.
  const nanoOfOne = 119_000;
  const put = await api.admin.put(path, { of: 'models', amount: 0.02 });
  expect(put.status, put.text).toBe(200);
  await addModel('paid', 'openai');
  const { rows } = await sql<{ id: string }>`select id from budgets where name = 'models'`.execute(api.database);
  let passed = 0;
  let refused = 0;
  for (let round = 0; refused === 0 && round < 20; round += 1) {
    const statuses = await callAtOnce('paid');
    expect(statuses.filter((status) => status !== 200 && status !== 402)).toEqual([]);
    passed += statuses.filter((status) => status === 200).length;
    refused = statuses.filter((status) => status === 402).length;
    await until(async () => (await told('nano_usd', rows[0]?.id ?? '')) === passed * nanoOfOne);
  }
  expect(passed * nanoOfOne).toBeGreaterThanOrEqual(20_000_000);
  expect(passed * nanoOfOne).toBeLessThan(20_000_000 + 2 * clients * nanoOfOne);
  // A model whose price nobody has set is refused, and not free.
  const unpriced = await post(`${addressOf('anthropic')}/v1/messages`, { messages: [question], max_tokens: 1 });
  expect(unpriced.status).toBe(402);
  expect(await unpriced.text()).toContain('price');
  expect((await api.admin.delete(path)).status).toBe(200);
});
