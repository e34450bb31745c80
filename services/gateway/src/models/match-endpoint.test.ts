import { type Provider, type ProviderEndpoint, providers } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchEndpoint } from './match-endpoint.ts';

const inBody: ProviderEndpoint = { method: 'POST', model: 'body' };
const inPath: ProviderEndpoint = { method: 'POST', model: 'path' };
const inAddress: ProviderEndpoint = { method: 'POST', model: 'none' };

const providerWith = (endpoints: Provider['endpoints']): Provider => ({
  name: 'sample',
  displayName: 'Sample',
  baseUrl: 'https://provider.example',
  keyHeader: 'authorization',
  endpoints,
});

const plain = providerWith({
  '/v1/chat/completions': inBody,
  '/v1/completions': inBody,
  '/v1/responses': inBody,
  '/v1/embeddings': inBody,
});
const prefixed = providerWith({ '/openai/v1/chat/completions': inBody });
const deployment = providerWith({
  '/openai/deployments/{DEPLOYMENT}/chat/completions': inAddress,
  '/openai/deployments/{DEPLOYMENT}/embeddings': inAddress,
});
const gemini = providerWith({
  '/v1beta/models/{model}:generateContent': inPath,
  '/v1beta/models/{model}:streamGenerateContent': { ...inPath, streams: 'path' },
  '/v1beta/openai/chat/completions': inBody,
});
const twoVersions = providerWith({ '/chat/completions': inBody, '/v1/chat/completions': inBody });
const modelLast = providerWith({ '/models/{model}': inPath });

const pathOf = (provider: Provider, path: string) => matchEndpoint(provider, path)?.path;

describe('the endpoint of a request', () => {
  test.each([
    ['/chat/completions', plain, '/v1/chat/completions'],
    ['/v1/chat/completions', plain, '/v1/chat/completions'],
    ['/v1/v1/chat/completions', plain, '/v1/chat/completions'],
    ['/chat/completions', prefixed, '/openai/v1/chat/completions'],
    ['/v1/chat/completions', prefixed, '/openai/v1/chat/completions'],
    ['/openai/v1/chat/completions', prefixed, '/openai/v1/chat/completions'],
    ['/chat/completions', deployment, '/openai/deployments/{DEPLOYMENT}/chat/completions'],
    ['/v1/chat/completions', deployment, '/openai/deployments/{DEPLOYMENT}/chat/completions'],
    ['/v1/embeddings', deployment, '/openai/deployments/{DEPLOYMENT}/embeddings'],
    ['/v1/chat/completions', gemini, '/v1beta/openai/chat/completions'],
  ])('of %s is found with and without a version', (path, provider, expected) => {
    const found = matchEndpoint(provider, path);
    expect(found).toMatchObject({ template: expected, path: expected, model: undefined });
    expect(found?.endpoint).toBe(provider.endpoints[expected]);
  });

  test('is the closest template: an exact one before one with more in front', () => {
    expect(pathOf(plain, '/completions')).toBe('/v1/completions');
    expect(pathOf(plain, '/v1/completions')).toBe('/v1/completions');
    expect(pathOf(twoVersions, '/chat/completions')).toBe('/chat/completions');
    expect(pathOf(twoVersions, '/v1/chat/completions')).toBe('/v1/chat/completions');
  });

  test("is the provider's first one at the model's own address", () => {
    for (const path of ['', '/', '?a=1', '/?a=1'])
      expect(pathOf(plain, path)).toBe(`/v1/chat/completions${path.replace('/', '')}`);
    expect(matchEndpoint(gemini, '/')).toMatchObject({
      path: '/v1beta/models/{model}:generateContent',
      model: undefined,
    });
    expect(matchEndpoint(providerWith({}), '/')).toBeUndefined();
  });

  test('keeps the name of the model that the client wrote into the path', () => {
    for (const path of [
      '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      '/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
      '/gemini-2.5-flash:streamGenerateContent?alt=sse',
    ])
      expect(matchEndpoint(gemini, path)).toMatchObject({
        template: '/v1beta/models/{model}:streamGenerateContent',
        path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        model: 'gemini-2.5-flash',
      });
    expect(matchEndpoint(modelLast, '/models/...')).toMatchObject({ path: '/models/...', model: '...' });
  });

  test.each([
    ['/v1/files', plain],
    ['/v1', plain],
    ['/v2/chat/completions', plain],
    ['/hat/completions', plain],
    ['/chat/completions/', plain],
    ['/x/v1/chat/completions', plain],
    ['chat/completions', plain],
    ['/chat/completions#a', plain],
    ['/other/chat/completions', deployment],
    ['/{DEPLOYMENT}/chat/completions', deployment],
    ['/v1beta/models/:generateContent', gemini],
    ['/v1beta/models/{model}:generateContent', gemini],
    ['/v1beta/models/a:streamGenerateContent:generateContent', gemini],
    ['/v1beta/models/a:countTokens', gemini],
    ['/v1beta/models/a%2Fb:generateContent', gemini],
    ['/v1beta/models/a%3AgenerateContent', gemini],
    ['/models/..', modelLast],
    ['/models/.', modelLast],
  ])('does not exist at %s', (path, provider) => {
    expect(matchEndpoint(provider, path)).toBeUndefined();
  });
});

test('every endpoint of every provider is reached by its own path, or by what follows the values of the connection', () => {
  const all = providers.flatMap((provider) =>
    Object.keys(provider.endpoints).map((template) => ({ provider, template })),
  );
  expect(all.length).toBeGreaterThan(20);
  for (const { provider, template } of all) {
    const path = template.replace(/^.*\{(?!model\})\w+\}/, '').replace('{model}', 'm');
    expect(matchEndpoint(provider, path)?.template, `${provider.name} ${path}`).toBe(template);
  }
});

const known = fc.constantFrom(
  ...['/chat/completions', '/v1/chat/completions', '/v1/responses', '/v1beta/models/gemini:generateContent'],
);
const everything = providerWith({ ...plain.endpoints, ...gemini.endpoints, ...modelLast.endpoints });

test('a path with dot segments, escapes, double slashes, backslashes or braces never matches', () => {
  const hostile = fc.constantFrom(
    '/',
    '/.',
    '/..',
    '/%2e%2e',
    '%2f',
    '%2F',
    '%5c',
    '\\',
    '%',
    '{',
    '}',
    ' ',
    ';',
    '\0',
    'é',
  );
  fc.assert(
    fc.property(known, hostile, fc.nat(), (path, insertion, position) => {
      const slashes = [...path.matchAll(/\//g)].map(({ index }) => index);
      // Slashes and dot segments go where a segment begins; the rest goes anywhere.
      const at = insertion.startsWith('/') ? slashes[position % slashes.length] : position % (path.length + 1);
      const text = path.slice(0, at) + insertion + path.slice(at);
      expect(matchEndpoint(everything, text)).toBeUndefined();
    }),
  );
});

test('whatever the client writes, the path of the provider is one of its templates with a plain name in it', () => {
  const part = fc.constantFrom(
    ...['/', 'v1', 'v1beta', 'models', 'chat', 'completions', ':', 'generateContent', '{model}', '..', '.', '%2f', 'm'],
  );
  const path = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(path, fc.string()), (text) => {
      const found = matchEndpoint(everything, text.replaceAll('?', ''));
      if (found === undefined) return;
      expect(Object.keys(everything.endpoints)).toContain(found.template);
      expect(found.path).toBe(found.template.replace('{model}', found.model ?? '{model}'));
      expect(found.model ?? 'm').toMatch(/^[\w.~@+-]+$/);
    }),
    { numRuns: 500 },
  );
});

describe('the query', () => {
  const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const isKey = (parameter: string) => new URLSearchParams(parameter).has('key');

  test('passes byte for byte', () => {
    fc.assert(
      fc.property(known, visible, (path, query) => {
        fc.pre(!query.split('&').some(isKey));
        expect(pathOf(everything, `${path}?${query}`)).toBe(`${pathOf(everything, path)}?${query}`);
      }),
    );
  });

  test('loses every parameter named key, and nothing else', () => {
    const key = fc.constantFrom('key=bl_secret', 'key', 'key=', '%6bey=bl_secret', 'k%65%79=a=b');
    fc.assert(
      fc.property(known, fc.array(visible), key, fc.nat(), (path, texts, secret, position) => {
        const others = texts.flatMap((text) => text.split('&')).filter((parameter) => !isKey(parameter));
        const at = position % (others.length + 1);
        const query = [...others.slice(0, at), secret, ...others.slice(at)].join('&');
        const rest = others.length === 0 ? '' : `?${others.join('&')}`;
        expect(pathOf(everything, `${path}?${query}`)).toBe(`${pathOf(everything, path)}${rest}`);
      }),
    );
  });

  test.each([
    ['?key=a', ''],
    ['?alt=sse&key=a', '?alt=sse'],
    ['?key=a&alt=sse', '?alt=sse'],
    ['?key=a&key=b', ''],
    ['?monkey=a&keys=b&Key=c', '?monkey=a&keys=b&Key=c'],
    ['?', '?'],
  ])('%s becomes "%s"', (query, expected) => {
    expect(pathOf(plain, `/chat/completions${query}`)).toBe(`/v1/chat/completions${expected}`);
  });
});
