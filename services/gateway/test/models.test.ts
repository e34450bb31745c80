// Requests to models reach their provider with the key of the connection, and its answers come back as they are.
import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import {
  answerEvents,
  answerJson,
  type ProviderAnswer,
  ProviderStandIn,
} from '../../../tests/harness/provider-stand-in.ts';
import { sendToHost } from '../../../tests/harness/send-to-host.ts';
import { until } from '../../../tests/harness/until.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from './api-with-workloads.ts';
import { directConnector } from './proxy-fixture.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts';

const key = 'sk-of-the-provider-0123456789';
const chat = { messages: [{ role: 'user', content: 'Where is Oslo?' }] };
const answered = {
  id: 'c-1',
  choices: [{ message: { content: 'In Norway.' } }],
  usage: { prompt_tokens: 9, completion_tokens: 3 },
};

let workloads: ApiWithWorkloads;
let gateway: TestGateway;
let provider: ProviderStandIn;
const lines: string[] = [];

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  provider = await ProviderStandIn.start();
  const destination = { write: (line: string) => void lines.push(line) };
  gateway = await start({
    logger: createLogger({ role: 'gateway' }, { level: 'debug', destination }),
    models: { addresses: { openai: provider.url } },
  });
  await connect('usual');
  await addModel('gpt');
});
beforeEach(() => {
  provider.answer = answerJson(answered);
  provider.requests.length = 0;
});
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
  await workloads?.[Symbol.asyncDispose]();
});

const start = (options: TestGatewayOptions = {}) => startTestGateway(workloads, directConnector(1), options);

async function write(path: string, name: string, spec: object): Promise<void> {
  const { status, text: answer } = await workloads.api.admin.post(path, { metadata: { name }, spec });
  expect(status, answer).toBe(200);
}

/** A connection for an OpenAI-compatible server of the customer's own. */
const connect = (name: string, spec: object = {}) =>
  write('/integrations/connections', name, {
    ...{ integration: 'hf_private_endpoint', secret: { API_KEY: key }, config: { BASE_URL: provider.url } },
    ...spec,
  });

const addModel = (name: string, spec: object = {}) =>
  write('/models', name, {
    ...{ integrationConnections: ['usual'], runtime: { type: 'hf_private_endpoint', model: 'gpt-large' } },
    ...spec,
  });

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly method?: string;
  readonly at?: TestGateway;
  readonly host?: string;
}

const bearer = (credential = workloads.api.adminKey) => ({ authorization: `Bearer ${credential}` });

async function call(path: string, { headers = bearer(), body = chat, method = 'POST', at = gateway, host }: Sent = {}) {
  return sendToHost(at.url, host ?? new URL(at.url).host, {
    ...{ path, method, headers: { 'content-type': 'application/json', ...headers } },
    ...(method === 'POST' && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

const LogLine = z.looseObject({
  used: z.object({ sent: z.int(), cached: z.int(), received: z.int() }).optional(),
  isEstimated: z.boolean().optional(),
});

/** Log line of the one request to a model that `work` makes; it is written after the answer. */
async function lineOf(work: () => Promise<unknown>) {
  const before = lines.length;
  await work();
  const find = () => lines.slice(before).find((line) => line.includes('"kind":"model"'));
  await until(() => find() !== undefined);
  return LogLine.parse(JSON.parse(find() ?? ''));
}
const codeOf = (answer: { text: string }) => JSON.parse(answer.text).error.code;

test.each(['', '/', '/chat/completions', '/v1/chat/completions'])(
  'a chat at the model’s address and %j reaches the provider’s own path with its key and the name of its model',
  async (rest) => {
    const { status, text: answer } = await call(`/main/models/gpt${rest}`);
    expect([status, JSON.parse(answer)]).toEqual([200, answered]);
    expect(provider.requests).toHaveLength(1);
    expect(provider.last).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(JSON.parse(provider.last.body)).toEqual({ ...chat, model: 'gpt-large' });
    expect(provider.last.headers.authorization).toBe(`Bearer ${key}`);
  },
);

test('a model answers on a host of its own', async () => {
  const { body } = await workloads.api.admin.get('/models/gpt');
  const [label, region] = new URL(body.metadata.url).host.split('.');
  const { status } = await call('/v1/chat/completions', { host: `${label}.${region}.example.org` });
  expect([status, provider.requests.length]).toEqual([200, 1]);
});

test.each(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'query'])(
  'the Berth key is accepted where clients of providers put theirs (%s), and reaches no provider',
  async (place) => {
    const berthKey = workloads.api.adminKey;
    const inQuery = place === 'query';
    const value = place === 'authorization' ? `Bearer ${berthKey}` : berthKey;
    const { status } = await call(`/main/models/gpt/v1/chat/completions${inQuery ? `?key=${berthKey}` : ''}`, {
      headers: inQuery ? {} : { [place]: value },
    });
    expect(status).toBe(200);
    const { path, rawHeaders, body } = provider.last;
    expect([path, ...rawHeaders, body].join('\n')).not.toContain(berthKey);
  },
);

test('without a credential, with a bad one, with a foreign one and for a missing model nothing reaches the provider', async () => {
  await workloads.api.addWorkspace('other');
  const foreigner = await workloads.api.user({ memberOf: 'other' });
  const answers = [
    await call('/main/models/gpt', { headers: {} }),
    await call('/main/models/gpt', { headers: bearer('nonsense') }),
    await call('/main/models/gpt', { headers: bearer(foreigner.key) }),
    await call('/main/models/absent'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 404, 404]);
  expect(codeOf(answers[2] ?? { text: '' })).toBe(codeOf(answers[3] ?? { text: '' }));
  expect(provider.requests).toEqual([]);
});

test('only headers that are a provider’s business reach it', async () => {
  const hostile = {
    cookie: 'session=1',
    'x-forwarded-for': '10.0.0.1',
    'x-real-ip': '10.0.0.1',
    'x-service-thread-id': 't',
    x_api_key: 'smuggled',
    'x-api-key': 'smuggled',
    'openai-organization': 'theirs',
    'transfer-encoding': 'chunked',
    connection: 'authorization, close',
  };
  await call('/main/models/gpt', { headers: { ...bearer(), ...hostile, 'user-agent': 'client/1' } });
  const names = Object.keys(provider.last.headers).toSorted();
  expect(names).toEqual([
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ]);
  expect(provider.last.headers.authorization).toBe(`Bearer ${key}`);
});

test('another model than the one it is set up for is refused; a model without a name of its own takes any', async () => {
  await addModel('any', { runtime: { type: 'hf_private_endpoint' } });
  const refused = await call('/main/models/gpt', { body: { ...chat, model: 'gpt-huge' } });
  expect([refused.status, codeOf(refused)]).toEqual([400, 'BAD_REQUEST']);
  expect(refused.text).toContain('gpt-huge');
  expect(provider.requests).toEqual([]);
  expect((await call('/main/models/any', { body: { ...chat, model: 'gpt-huge' } })).status).toBe(200);
  expect(JSON.parse(provider.last.body).model).toBe('gpt-huge');
  expect((await call('/main/models/any')).status).toBe(400);
});

test('a path that the provider does not have, and another method, reach no provider', async () => {
  const answers = [
    await call('/main/models/gpt/v1/files'),
    await call('/main/models/gpt/v1/chat/completions/../../files'),
    await call('/main/models/gpt/v1/chat/completions', { method: 'GET' }),
    await call('/main/models/gpt', { method: 'DELETE' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 405, 405]);
  expect(answers[0]?.text).toContain('/v1/chat/completions');
  expect(provider.requests).toEqual([]);
});

test('errors of the provider come back as they are, and count no tokens', async () => {
  const error = { error: { message: 'Too long.', type: 'invalid_request_error' } };
  provider.answer = answerJson(error, 400, { 'x-request-id': 'req-1', 'set-cookie': 'a=b' });
  const line = await lineOf(async () => {
    const { status, text: answer, headers } = await call('/main/models/gpt');
    expect([status, answer]).toEqual([400, JSON.stringify(error)]);
    expect([headers['x-request-id'], headers['set-cookie']]).toEqual(['req-1', undefined]);
  });
  expect([line.status, line.used]).toEqual([400, undefined]);
});

test('tokens of an answer and of a stream are those that the provider tells', async () => {
  const told = { used: { sent: 9, cached: 0, received: 3 }, isEstimated: false, attempts: 1 };
  expect(await lineOf(() => call('/main/models/gpt'))).toMatchObject(told);
  const piece = 'data: {"choices":[{"delta":{"content":"In"}}],"usage":null}';
  const usage = 'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3}}';
  provider.answer = answerEvents([piece, usage, 'data: [DONE]']);
  let stream = '';
  const line = await lineOf(async () => {
    stream = (await call('/main/models/gpt', { body: { ...chat, stream: true } })).text;
  });
  expect(JSON.parse(provider.last.body).stream_options).toEqual({ include_usage: true });
  // The client had not asked for its usage.
  expect(stream).toBe(`${piece}\n\ndata: [DONE]\n\n`);
  expect(line).toMatchObject(told);
});

const open = (path: string, body: unknown) => {
  const { port } = new URL(gateway.url);
  const sent = openRequest({
    port,
    path,
    method: 'POST',
    headers: { ...bearer(), 'content-type': 'application/json' },
  });
  sent.on('error', () => {}).end(JSON.stringify(body));
  return sent;
};

test('when the client leaves a stream the provider is cut off, and what was used is estimated and never zero', async () => {
  const closed = Promise.withResolvers<void>();
  provider.answer = (_request, response) => {
    response.once('close', () => closed.resolve());
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"In"}}],"usage":null}\n\n');
  };
  const line = await lineOf(async () => {
    const sent = open('/main/models/gpt', { ...chat, stream: true });
    const [answer] = await once(sent, 'response');
    await once(answer, 'data');
    sent.destroy();
    await closed.promise;
  });
  expect(line.isEstimated).toBe(true);
  expect(line.used?.sent).toBeGreaterThan(0);
  expect(line.used?.received).toBeGreaterThan(0);
});

test('when the client leaves before the answer begins, what was sent is estimated', async () => {
  const arrived = Promise.withResolvers<void>();
  provider.answer = () => arrived.resolve();
  const line = await lineOf(async () => {
    const sent = open('/main/models/gpt', chat);
    await arrived.promise;
    sent.destroy();
  });
  expect(line).toMatchObject({ isEstimated: true, used: { received: 0 } });
  expect(line.used?.sent).toBeGreaterThan(0);
});

test('a stream passes piece by piece: the client has each event before the provider sends the next', async () => {
  let next = Promise.withResolvers<void>();
  provider.answer = async (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of ['one', 'two', 'three']) {
      response.write(`data: ${word}\n\n`);
      await next.promise;
    }
    response.end();
  };
  const sent = open('/main/models/gpt', { ...chat, stream: true });
  const [answer] = await once(sent, 'response');
  for (const word of ['one', 'two', 'three']) {
    const [chunk] = await once(answer, 'data');
    expect(String(chunk)).toBe(`data: ${word}\n\n`);
    const waiting = next;
    next = Promise.withResolvers();
    waiting.resolve();
  }
  expect(await text(answer)).toBe('');
});

test('a large answer waits for a slow client instead of filling the gateway', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const count = 512;
  let written = 0;
  provider.answer = async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    for (; written < count; written += 1)
      if (!response.write(chunk)) await new Promise((drained) => response.once('drain', drained));
    response.end();
  };
  const sent = open('/main/models/gpt', chat);
  const [answer] = await once(sent, 'response');
  // Nothing is read, so the provider has to stop somewhere.
  let seen = -1;
  await until(() => {
    const isStill = written === seen;
    seen = written;
    return isStill && written > 0;
  });
  expect(written).toBeLessThan(count);
  let bytes = 0;
  for await (const part of answer) bytes += part.length;
  expect(bytes).toBe(count * chunk.length);
});

test('a disabled model, one whose connection has no key or no address, and one without a connection say what to correct', async () => {
  await addModel('off', { enabled: false });
  await connect('keyless', { secret: {} });
  await connect('nowhere', { config: {} });
  await addModel('a', { integrationConnections: ['keyless'] });
  await addModel('b', { integrationConnections: ['nowhere'] });
  await addModel('c', { integrationConnections: [] });
  const answers = await Promise.all(['off', 'a', 'b', 'c'].map((name) => call(`/main/models/${name}`)));
  expect(answers.map((answer) => [answer.status, codeOf(answer)])).toEqual([
    [503, 'WORKLOAD_UNAVAILABLE'],
    [503, 'MODEL_NOT_CALLABLE'],
    [503, 'MODEL_NOT_CALLABLE'],
    [503, 'MODEL_NOT_CALLABLE'],
  ]);
  for (const [at, word] of ['switched off', 'API_KEY', 'BASE_URL', 'integrationConnections'].entries())
    expect(answers[at]?.text).toContain(word);
});

test('a key for one provider, or for a tool, is never sent to another provider', async () => {
  await connect('of-github', { integration: 'github', config: {} });
  await connect('of-openai', { integration: 'openai', config: {} });
  for (const name of ['of-github', 'of-openai']) {
    await addModel(name, { integrationConnections: [name] });
    const answer = await call(`/main/models/${name}`);
    expect([name, answer.status, codeOf(answer)]).toEqual([name, 503, 'MODEL_NOT_CALLABLE']);
  }
  expect(provider.requests).toEqual([]);
});

test('the organization of a model reaches its provider', async () => {
  const runtime = { type: 'openai', model: 'm', organization: 'org-1' };
  await addModel('organized', { integrationConnections: ['of-openai'], runtime });
  await call('/main/models/organized');
  expect(provider.last.headers['openai-organization']).toBe('org-1');
});

test('credentials for tests and live ones are never exchanged', async () => {
  await connect('tests', { sandbox: true });
  await addModel('live', { integrationConnections: ['tests'] });
  await addModel('trial', { integrationConnections: ['usual'], sandbox: true });
  await addModel('both', { integrationConnections: ['usual', 'tests'], sandbox: true });
  const statuses = await Promise.all(
    ['live', 'trial', 'both'].map(async (name) => (await call(`/main/models/${name}`)).status),
  );
  expect(statuses).toEqual([503, 503, 200]);
});

test('a gateway without master keys refuses models and serves everything else', async () => {
  await using keyless = await start({ models: { masterKeys: 'none' } });
  const refused = await call('/main/models/gpt', { at: keyless });
  expect([refused.status, codeOf(refused)]).toEqual([503, 'MODEL_NOT_CALLABLE']);
  expect(refused.text).toContain('master keys');
  expect((await call('/main/agents/absent', { at: keyless })).status).toBe(404);
});

test('an address that is not on the internet is refused, by number and by name, also after the provider redirects there', async () => {
  await connect('inside', { config: { BASE_URL: 'http://10.0.0.1' } });
  await connect('metadata', { config: { BASE_URL: 'http://169.254.169.254' } });
  await connect('mapped', { config: { BASE_URL: 'http://[::ffff:169.254.169.254]' } });
  for (const name of ['inside', 'metadata', 'mapped']) {
    await addModel(name, { integrationConnections: [name] });
    const answer = await call(`/main/models/${name}`);
    expect([name, answer.status, codeOf(answer)]).toEqual([name, 503, 'MODEL_NOT_CALLABLE']);
  }
  provider.answer = (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  const redirected = await call('/main/models/gpt');
  expect([redirected.status, provider.requests.length]).toEqual([302, 1]);
});

/** Ways in which a provider, or an address that a tenant chose, could show the key. */
const showsKey: Readonly<Record<string, ProviderAnswer>> = {
  'body as it is': ({ headers }, response) => response.writeHead(200).end(JSON.stringify(headers)),
  'raw head': ({ rawHeaders }, response) => response.writeHead(200).end(rawHeaders.join('\r\n')),
  error: ({ headers }, response) => response.writeHead(401).end(`Incorrect API key: ${headers.authorization}`),
  header: ({ headers }, response) => response.writeHead(200, { 'x-echo': headers.authorization ?? '' }).end('{}'),
  location: ({ headers }, response) => response.writeHead(302, { location: `/?k=${headers.authorization}` }).end(),
  'piece by piece': async ({ headers }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const letter of `data: ${headers.authorization}\n\n`) {
      response.write(letter);
      await new Promise(setImmediate);
    }
    response.end();
  },
  'broken off': ({ headers }, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(headers.authorization ?? '', () => response.destroy());
  },
};
test.each(Object.keys(showsKey))(
  'a provider that shows its key (%s) shows it to no caller and in no log',
  async (way) => {
    provider.answer = showsKey[way] ?? (() => {});
    const answer = await call('/main/models/gpt', { body: { ...chat, stream: way === 'piece by piece' } }).catch(
      String,
    );
    expect(JSON.stringify(answer)).not.toContain(key);
    expect(provider.last.headers.authorization).toContain(key);
    expect(lines.join('\n')).not.toContain(key);
  },
);

test('a changed connection is used once its model is read again', async () => {
  await connect('moving', { secret: { API_KEY: 'first-key' } });
  await addModel('moved', { integrationConnections: ['moving'] });
  expect((await call('/main/models/moved')).status).toBe(200);
  expect(provider.last.headers.authorization).toBe('Bearer first-key');
  const { body } = await workloads.api.admin.get('/integrations/connections/moving');
  const spec = { ...body.spec, secret: { API_KEY: 'second-key' } };
  expect(
    (await workloads.api.admin.put('/integrations/connections/moving', { metadata: body.metadata, spec })).status,
  ).toBe(200);
  await expect
    .poll(async () => {
      await call('/main/models/moved');
      return provider.last.headers.authorization;
    })
    .toBe('Bearer second-key');
});

test('a body that is too large, and one that is no JSON object, reach no provider', async () => {
  const large = await call('/main/models/gpt', { body: { ...chat, padding: 'x'.repeat(1_100_000) } });
  expect([large.status, codeOf(large)]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE']);
  for (const body of ['', '[]', '"text"', '{"messages":', 'null']) {
    const refused = await call('/main/models/gpt', { body });
    expect([body, refused.status]).toEqual([body, 400]);
  }
  expect(provider.requests).toEqual([]);
});

test('a page of a browser reads answers and refusals of a model where its origin is allowed, and a preflight needs no key', async () => {
  const origin = 'https://app.example';
  await using at = await start({ browserOrigins: [origin], models: { addresses: { openai: provider.url } } });
  // The word of the provider does not count.
  provider.answer = answerJson(answered, 200, { 'access-control-allow-origin': 'https://provider.example' });
  const readers = async (headers: Readonly<Record<string, string>>, method = 'POST') => {
    const answer = await call('/main/models/gpt', { at, method, headers: { origin, ...headers } });
    return [answer.status, answer.headers['access-control-allow-origin']];
  };
  expect(await readers(bearer())).toEqual([200, origin]);
  expect(await readers({})).toEqual([401, origin]);
  expect(await readers(bearer(), 'GET')).toEqual([405, origin]);
  expect(await readers({ 'access-control-request-method': 'POST' }, 'OPTIONS')).toEqual([204, origin]);
  expect(await readers({ origin: 'https://other.example' })).toEqual([401, undefined]);
});

test('requests to a model are recorded in the audit log', async () => {
  await call('/main/models/gpt');
  await gateway.calls.flush();
  const { rows } =
    await sql`select target from audit_log where action = 'workload.call' and target = 'model/gpt'`.execute(
      workloads.database,
    );
  expect(rows.length).toBeGreaterThan(0);
});
