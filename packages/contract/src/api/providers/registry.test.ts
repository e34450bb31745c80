import { describe, expect, test } from 'vitest';
import { modelProviders } from '../kinds/model.ts';
import { keyNameOf } from './connection-key.ts';
import type { Provider } from './provider.ts';
import { findProvider, providers } from './registry.ts';

const namesOf = (some: readonly Provider[]) => some.map(({ name }) => name);
const repeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index);
const templatesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const endpoints = providers.flatMap((provider) =>
  Object.entries(provider.endpoints).map(([path, endpoint]) => ({
    ...{ at: `${provider.name} ${path}`, path, provider, endpoint },
  })),
);
const places = (some: readonly { at: string }[]) => some.map(({ at }) => at);

test('every type of a model has a provider, but for the two that are known to have none', () => {
  const without = ['public_model', 'mcp'];
  expect(modelProviders.filter((type) => findProvider(type) === undefined)).toEqual(without);
  expect(namesOf(providers).sort()).toEqual(modelProviders.filter((type) => !without.includes(type)).sort());
});

test('names are unique, also as the name of a key, and what every object has is no provider', () => {
  expect(repeated(namesOf(providers))).toEqual([]);
  expect(repeated(providers.map(({ displayName }) => displayName))).toEqual([]);
  expect(repeated(providers.map(keyNameOf))).toEqual([]);
  for (const name of ['constructor', '__proto__', 'toString', '', 'OpenAI']) expect(findProvider(name)).toBeUndefined();
});

test('an address is https without a slash at its end; a provider without one asks for BASE_URL', () => {
  for (const { name, baseUrl, config } of providers) {
    if (baseUrl === undefined) expect(Object.keys(config ?? {}), name).toContain('BASE_URL');
    else expect([baseUrl, config?.BASE_URL]).toEqual([`https://${new URL(baseUrl).host}`, undefined]);
  }
});

describe('a path', () => {
  const valid = /^(\/[\w.{}-]+)+(:[a-zA-Z]+)?$/;

  test('is a plain path without a query', () => {
    expect(places(endpoints.filter(({ path }) => !valid.test(path)))).toEqual([]);
  });

  test('holds the name of the model exactly where the endpoint says so', () => {
    const wrong = endpoints.filter(
      ({ path, endpoint }) => templatesIn(path).includes('model') !== (endpoint.model === 'path'),
    );
    expect(places(wrong)).toEqual([]);
  });
});

test('every name in braces is a value of the connection or the name of the model', () => {
  for (const { name, config, endpoints: own, headers, query } of providers) {
    const paths = Object.keys(own).flatMap(templatesIn);
    const elsewhere = [...Object.values(headers ?? {}), ...Object.values(query ?? {})].flatMap(templatesIn);
    const known = Object.keys(config ?? {});
    expect(
      [...paths.filter((each) => each !== 'model'), ...elsewhere].filter((each) => !known.includes(each)),
      name,
    ).toEqual([]);
    const used = ['BASE_URL', ...paths, ...elsewhere];
    expect(
      known.filter((each) => !used.includes(each)),
      name,
    ).toEqual([]);
  }
});

describe('an endpoint', () => {
  const free = [
    'openai /v1/moderations',
    'anthropic /v1/messages/count_tokens',
    'gemini /v1beta/models/{model}:countTokens',
  ];

  test('counts tokens unless it costs nothing', () => {
    const uncounted = endpoints.filter(
      ({ endpoint }) => endpoint.tokens === undefined && endpoint.streamTokens === undefined,
    );
    expect(places(uncounted)).toEqual(free);
  });

  test('says where its answers and its streams count tokens', () => {
    for (const { at, endpoint } of endpoints) {
      const { streams, tokens, streamTokens } = endpoint;
      if (free.includes(at)) continue;
      expect([at, streamTokens !== undefined]).toEqual([at, streams !== undefined]);
      expect([at, tokens !== undefined]).toEqual([at, streams !== 'path']);
      if (streams !== undefined) expect([at, streamTokens?.received?.length]).not.toContain(undefined);
    }
  });

  test('names fields by words joined by dots, and no field twice', () => {
    for (const { at, endpoint } of endpoints)
      for (const { sent, cached = [], received = [] } of [endpoint.tokens, endpoint.streamTokens].flatMap(
        (paths) => paths ?? [],
      )) {
        expect([...sent, ...cached, ...received].filter((path) => !/^\w+(\.\w+)*$/.test(path))).toEqual([]);
        expect([at, repeated([...sent, ...received]), repeated(cached), sent.length > 0]).toEqual([at, [], [], true]);
      }
  });

  test('asks for usage only where a field of the body asks for the stream', () => {
    const asking = endpoints.filter(({ endpoint }) => endpoint.asksForUsage === true);
    expect(places(asking.filter(({ endpoint: { streams } }) => typeof streams !== 'object'))).toEqual([]);
    const unasked = ['mistral', 'azure-ai-inference', 'azure-marketplace'];
    expect(asking.filter(({ provider }) => unasked.includes(provider.name))).toEqual([]);
  });
});

test('headers are written in lower case, and none can replace the key or the address', () => {
  const reserved = ['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'host', 'cookie', 'content-length'];
  for (const { name, passes = [], headers = {}, organizationHeader } of providers) {
    const all = [...passes, ...Object.keys(headers), ...(organizationHeader === undefined ? [] : [organizationHeader])];
    expect(
      all.filter((header) => !/^[a-z][a-z0-9-]*$/.test(header) || reserved.includes(header)),
      name,
    ).toEqual([]);
  }
});

test('an organization has a header at the providers that bill organizations', () => {
  const billing = providers.filter(({ organizationHeader }) => organizationHeader !== undefined);
  expect(namesOf(billing)).toEqual(['openai', 'huggingface', 'hf_public_endpoint']);
});

test('a list of models is read without values of the connection', () => {
  for (const { name, listing, query } of providers) {
    if (listing === undefined) continue;
    expect([name, listing.path, query]).toEqual([name, expect.stringMatching(/^\/[^{}]+$/), undefined]);
  }
  const without = providers.filter(({ listing }) => listing === undefined);
  expect(namesOf(without)).toEqual(['vertexai', 'azure-openai-service', 'azure-ai-inference', 'azure-marketplace']);
});

test('a provider that is not served says why, and what to do', () => {
  expect(namesOf(providers.filter(({ unserved }) => unserved !== undefined))).toEqual(['vertexai']);
  for (const { unserved } of providers) if (unserved !== undefined) expect(unserved).toMatch(/\. .+\.$/);
});
