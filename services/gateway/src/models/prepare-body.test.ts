import type { ProviderEndpoint } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BodyToPrepare, prepareBody } from './prepare-body.ts';

const chat: ProviderEndpoint = { method: 'POST', model: 'body', streams: { key: 'stream' }, asksForUsage: true };
const messages: ProviderEndpoint = { method: 'POST', model: 'body', streams: { key: 'stream' } };
const embeddings: ProviderEndpoint = { method: 'POST', model: 'body' };
const generate: ProviderEndpoint = { method: 'POST', model: 'path' };
const generateStream: ProviderEndpoint = { method: 'POST', model: 'path', streams: 'path' };
const deployment: ProviderEndpoint = { ...chat, model: 'none' };

const prepare = (text: string, changes: Partial<BodyToPrepare> = {}) => {
  const body = Buffer.from(text);
  const prepared = prepareBody({ endpoint: chat, model: 'm-1', pathModel: undefined, body, ...changes });
  return { ...prepared, text: prepared.body.toString(), isSame: prepared.body === body };
};
const refused = (message: string | RegExp) =>
  expect.objectContaining({ code: 'BAD_REQUEST', message: expect.stringMatching(message) });

describe('the model in the body', () => {
  test('is set when the body names none, and the rest keeps its text', () => {
    expect(prepare('{ "a": 1.0, "b":12345678901234567890 }\n').text).toBe(
      '{ "a": 1.0, "b":12345678901234567890 ,"model":"m-1"}\n',
    );
    expect(prepare('{}').text).toBe('{"model":"m-1"}');
    expect(prepare(' { } ').text).toBe(' { "model":"m-1"} ');
    expect(prepare('{"model" : null , "a":-0}').text).toBe('{"model" : "m-1" , "a":-0}');
    expect(prepare('{}', { model: 'a"\\\n{é' }).text).toBe('{"model":"a\\"\\\\\\n{é"}');
  });

  test('leaves the body byte for byte when it is the served one', () => {
    for (const text of ['{"model":"m-1"}', ' {"a":{"model":"x"},\r\n"mod\\u0065l" : "m\\u002d1"} '])
      expect(prepare(text)).toMatchObject({ isSame: true, text, model: 'm-1' });
  });

  test('is the choice of the caller when the model of the workspace names none', () => {
    expect(prepare('{"model":"any"}', { model: undefined })).toMatchObject({ isSame: true, model: 'any' });
  });

  test('is refused when it is another than the served one, with both names', () => {
    for (const text of ['{"model":"m-2"}', '{"\\u006dodel":"m-2"}', '{"model":""}', '{"model":"m-1 "}'])
      expect(() => prepare(text)).toThrow(refused(/"(m-2|m-1 |)", but only "m-1" is served/));
    expect(() => prepare(`{"model":"${'x'.repeat(10_000)}"}`)).toThrow(refused(/^.{1,300}$/));
  });

  test('is refused when neither side names one, with the next step', () => {
    for (const text of ['{}', '{"model":null}', '{"a":{"model":"x"}}', '{"__proto__":{"model":"x"}}'])
      expect(() => prepare(text, { model: undefined })).toThrow(
        refused(/or let the owner of the model set spec\.runtime\.model\.$/),
      );
  });

  test.each(['1', 'true', '[]', '{}', '["m-1"]'])('is refused when it is %s', (value) => {
    expect(() => prepare(`{"model":${value}}`)).toThrow(refused('"model" has to be text'));
  });

  test('is refused under two keys that some parsers take for the same', () => {
    for (const text of [
      '{"model":"m-1","model":"m-2"}',
      '{"model":"m-1","model":"m-1"}',
      '{"mod\\u0065l":"m-1","a":[],"model":"m-2"}',
      '{"a":1,"a":1}',
    ])
      expect(() => prepare(text)).toThrow(refused('stands twice in the same object'));
    for (const text of [
      '{"Model":"m-2"}',
      '{"model":"m-1","MODEL":"m-2"}',
      '{"\\u017Ftream":true}',
      '{"STREAM_options":1}',
    ])
      expect(() => prepare(text)).toThrow(refused(/has to be written as "(model|stream|stream_options)"\./));
  });
});

describe('the model in the path', () => {
  test.each([generate, generateStream])('follows the same rules, and the body keeps its bytes', (endpoint) => {
    const body = '{"model":"models/other","contents":[]}';
    expect(prepare(body, { endpoint, pathModel: 'm-1' })).toMatchObject({ isSame: true, model: 'm-1' });
    expect(prepare(body, { endpoint })).toMatchObject({ isSame: true, model: 'm-1' });
    expect(prepare(body, { endpoint, model: undefined, pathModel: 'x' })).toMatchObject({ isSame: true, model: 'x' });
    expect(() => prepare(body, { endpoint, pathModel: 'x' })).toThrow(
      refused('The path names the model "x", but only "m-1"'),
    );
    expect(() => prepare(body, { endpoint, model: undefined })).toThrow(refused('Neither the path nor this model'));
  });
});

test('a body whose address decides keeps its model; the name of the owner counts', () => {
  expect(prepare('{"model":"any"}', { endpoint: deployment })).toMatchObject({ isSame: true, model: 'm-1' });
  expect(prepare('{}', { endpoint: deployment, model: undefined })).toMatchObject({ isSame: true, model: undefined });
});

describe('a stream', () => {
  test('is what the field of the endpoint says, or its path', () => {
    for (const [text, isStream] of [
      ['{"stream":true}', true],
      ['{"str\\u0065am":true}', true],
      ['{"stream":false}', false],
      ['{"stream":null}', false],
      ['{"a":{"stream":true}}', false],
      ['{}', false],
    ] as const)
      for (const endpoint of [chat, messages]) expect(prepare(text, { endpoint }).isStream).toBe(isStream);
    expect(prepare('{"stream":true}', { endpoint: embeddings }).isStream).toBe(false);
    expect(prepare('{}', { endpoint: generate }).isStream).toBe(false);
    expect(prepare('{"stream":false}', { endpoint: generateStream }).isStream).toBe(true);
  });

  test.each(['1', '"true"', '{}', '[true]'])('is refused when it is asked for with %s', (value) => {
    expect(() => prepare(`{"stream":${value}}`)).toThrow(refused('"stream" has to be true or false'));
  });

  test.each([
    ['{"stream":true,"model":"m-1"}', '{"stream":true,"model":"m-1","stream_options":{"include_usage":true}}'],
    ['{"stream":true}', '{"stream":true,"model":"m-1","stream_options":{"include_usage":true}}'],
    ['{"stream_options":null,"stream":true}', '{"stream_options":{"include_usage":true},"stream":true,"model":"m-1"}'],
    [
      '{"stream_options": {"a":1.0} ,"model":"m-1","stream":true}',
      '{"stream_options": {"a":1.0,"include_usage":true} ,"model":"m-1","stream":true}',
    ],
    [
      '{"model":null,"stream":true,"stream_options":{"include\\u005fusage" : false , "b":1e2}}',
      '{"model":"m-1","stream":true,"stream_options":{"include\\u005fusage" : true , "b":1e2}}',
    ],
    [
      '{"stream":true,"stream_options":{ },"x":{"include_usage":true}}',
      '{"stream":true,"stream_options":{ "include_usage":true},"x":{"include_usage":true},"model":"m-1"}',
    ],
  ])('is asked for its usage, and the client does not get that event: %s', (text, expected) => {
    expect(prepare(text)).toMatchObject({ text: expected, isStream: true, dropsUsageEvent: true });
  });

  test('that the client asks for its usage itself is left as it is', () => {
    const text = '{"model":"m-1","stream":true,"stream_options":{"include_usage":true,"a":1.0}}';
    expect(prepare(text)).toMatchObject({ isSame: true, isStream: true, dropsUsageEvent: false });
  });

  test('of an endpoint that always tells its usage is left as it is, and so is no stream', () => {
    const streamed = '{"model":"m-1","stream":true,"stream_options":7}';
    expect(prepare(streamed, { endpoint: messages })).toMatchObject({ isSame: true, dropsUsageEvent: false });
    const unstreamed = '{"model":"m-1","stream_options":{"include_usage":false}}';
    expect(prepare(unstreamed)).toMatchObject({ isSame: true, isStream: false, dropsUsageEvent: false });
  });

  test('with options that are ambiguous or no object is refused', () => {
    for (const options of ['1', '"a"', '[]', 'true'])
      expect(() => prepare(`{"stream":true,"stream_options":${options}}`)).toThrow(refused('has to be an object'));
    const twice = '{"stream":true,"stream_options":{"include_usage":true,"include_usage":false}}';
    expect(() => prepare(twice)).toThrow(refused('"include_usage" stands twice'));
  });
});

describe('a body', () => {
  const notUtf8 = Buffer.from('{"a":"\xff"}', 'latin1');
  const bodies = ['', ' ', '[]', '"a"', '1', 'null', '{', '{"a":1}{}', '{"a":1,}', "{'a':1}", '\u{feff}{}', notUtf8];
  test.each(bodies)('that is not a JSON object is refused: %s', (body) => {
    expect(() => prepare('', { body: Buffer.from(body) })).toThrow(refused('not a JSON object'));
  });

  test('with values nested a hundred thousand deep is read', () => {
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(prepare(`${deep}}`).text).toBe(`${deep},"model":"m-1"}`);
  });

  test('of random signs is refused, or becomes a JSON object that needs no other change', () => {
    const signs = fc.constantFrom(...['{', '}', '[', ']', '"', '\\', ':', ',', ' ', '1', 'null', '"model"', '"a"']);
    const text = fc.array(signs).map((parts) => `{${parts.join('')}}`);
    fc.assert(
      fc.property(text, (each) => {
        let prepared: string | undefined;
        try {
          prepared = prepare(each).text;
        } catch (error) {
          expect(error).toMatchObject({ code: 'BAD_REQUEST' });
        }
        if (prepared !== undefined) expect(prepare(prepared)).toMatchObject({ isSame: true, model: 'm-1' });
      }),
      { numRuns: 1_000 },
    );
  });

  test('with keys that JSON.parse confuses is read as the provider reads it', () => {
    // In V8 13.6 the first text makes the second one an object without the key "model".
    JSON.parse('{"mod\\\\u":0}');
    expect(() => prepare('{"mod\\u0065l":"m-2"}')).toThrow(refused('names the model "m-2"'));
    JSON.parse('{"model":0,"str\\\\u0":0}');
    expect(prepare('{"model":"m-1","str\\u0065am":true}').isStream).toBe(true);
  });
});

/** Renders JSON with spaces, escapes and forms of numbers as `noise` says. */
function noisyJson(value: unknown, noise: readonly number[]): string {
  let drawn = 0;
  const draw = (choices: number): number => (noise[drawn++ % noise.length] ?? 0) % choices;
  const space = (): string => ['', '', ' ', '\n', '\t\r\n  '][draw(5)] ?? '';
  const character = (unit: string): string =>
    /[a-z]/.test(unit) && draw(4) === 0 ? `\\u00${unit.charCodeAt(0).toString(16)}` : JSON.stringify(unit).slice(1, -1);
  const text = (plain: string): string => `"${plain.split('').map(character).join('')}"`;
  const list = (open: string, parts: string[], close: string): string => open + space() + parts.join(',') + close;
  const render = (each: unknown): string => {
    const before = space();
    if (typeof each === 'string') return before + text(each) + space();
    if (Array.isArray(each)) return before + list('[', each.map(render), ']') + space();
    if (typeof each === 'object' && each !== null) {
      const parts = Object.entries(each).map(([key, inner]) => `${space()}${text(key)}${space()}:${render(inner)}`);
      return before + list('{', parts, '}') + space();
    }
    const plain = JSON.stringify(each);
    return before + (/^-?\d+$/.test(plain) && draw(3) === 0 ? `${plain}.0` : plain) + space();
  };
  return render(value);
}

/** Without escapes of letters: JSON.parse of V8 13.6 confuses keys with escapes, depending on objects that it parsed before. */
const parsed = (text: string): unknown =>
  JSON.parse(
    text.replace(/\\(?:u00([67][\da-f])|.)/gs, (whole, code?: string) =>
      code === undefined ? whole : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  );

const read = ['model', 'stream', 'stream_options'];
const noise = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 60 });
/** Needs no escapes, for the same reason. */
const plainKey = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abmodel_{}[]:,é\u{1f600}') }),
  fc.constantFrom('models', 'messages', 'include_usage', '{model:x}', ''),
);
const leaf = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.integer(),
  fc.string({
    unit: fc.oneof(
      fc.constantFrom('é', '€', '\u{1f600}', '\ud800'),
      fc.integer({ max: 0x7f, min: 0 }).map((code) => String.fromCharCode(code)),
    ),
  }),
  fc.constantFrom('model', '"', '\\', '\\"', '}', '{"model":"x"}', '","model":"x', '\\\\', '\u{1f600}'),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(fc.oneof(plainKey, fc.constantFrom(...read)), tie('value'), { maxKeys: 4 }),
}));
const others = fc.dictionary(
  plainKey.filter((key) => !read.includes(key)),
  value,
  { maxKeys: 6, noNullPrototype: true },
);

/** Inserts fields between others, so that they are first, last or in the middle. */
const withFields = (object: object, fields: object, position: number) => {
  const entries = Object.entries(object);
  const at = position % (entries.length + 1);
  return Object.fromEntries([...entries.slice(0, at), ...Object.entries(fields), ...entries.slice(at)]);
};

describe('for every object, however it is written,', () => {
  const modelFields = fc.constantFrom({}, { model: 'm-1' }, { model: null });
  const streamFields = fc.constantFrom<object>(
    ...[{}, { stream: true }, { stream: false, stream_options: {} }, { stream: null }],
    ...[null, {}, { include_usage: true }, { include_usage: false, model: [1] }].map((stream_options) => ({
      stream: true,
      stream_options,
    })),
  );

  test('the provider gets the same object with the model and the request for usage', () => {
    fc.assert(
      fc.property(
        others,
        modelFields,
        streamFields,
        fc.nat(),
        fc.nat(),
        noise,
        (rest, named, streamed, a, b, spaces) => {
          const sent = withFields(withFields(rest, named, a), streamed, b);
          const { text, model, isStream, dropsUsageEvent } = prepare(noisyJson(sent, spaces));
          const options = 'stream_options' in streamed ? streamed.stream_options : undefined;
          const hasAsked =
            typeof options === 'object' &&
            options !== null &&
            'include_usage' in options &&
            options.include_usage === true;
          const asks = isStream && { stream_options: { ...(options ?? {}), include_usage: true } };
          expect(parsed(text)).toEqual({ ...sent, model: 'm-1', ...asks });
          expect({ model, isStream }).toEqual({
            model: 'm-1',
            isStream: 'stream' in streamed && streamed.stream === true,
          });
          expect(dropsUsageEvent).toBe(isStream && !hasAsked);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('all text but the added or replaced one stays', () => {
    fc.assert(
      fc.property(others, fc.nat(), noise, (rest, position, spaces) => {
        const absent = noisyJson(rest, spaces);
        const added = prepare(absent).text;
        const end = absent.lastIndexOf('}');
        const comma = Object.keys(rest).length === 0 ? '' : ',';
        expect(added).toBe(`${absent.slice(0, end)}${comma}"model":"m-1"${absent.slice(end)}`);

        const mark = 'mark of the test';
        const marked = noisyJson(withFields(rest, { model: mark }, position), [2]);
        expect(prepare(marked.replace(`"${mark}"`, 'null')).text).toBe(marked.replace(mark, 'm-1'));
      }),
      { numRuns: 300 },
    );
  });

  test('nothing changes when the model is named and no usage has to be asked for', () => {
    fc.assert(
      fc.property(others, fc.nat(), noise, (rest, position, spaces) => {
        const text = noisyJson(withFields(rest, { model: 'm-1' }, position), spaces);
        expect(prepare(text)).toMatchObject({ isSame: true, text, isStream: false, dropsUsageEvent: false });
      }),
      { numRuns: 300 },
    );
  });

  test('another model is refused at every place, also with escapes', () => {
    fc.assert(
      fc.property(others, fc.nat(), noise, fc.string({ minLength: 1 }), (rest, position, spaces, name) => {
        fc.pre(name !== 'm-1');
        const text = noisyJson(withFields(rest, { model: name }, position), spaces);
        expect(() => prepare(text)).toThrow(refused('but only "m-1" is served'));
      }),
    );
  });
});

test('an object with thousands of fields is refused before all of them are read', () => {
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, 1])));
  const endpoint: ProviderEndpoint = { method: 'POST', model: 'body' };
  const prepare = (body: string) =>
    prepareBody({ endpoint, model: 'm', pathModel: undefined, body: Buffer.from(body) });
  expect(() => prepare(fields(1_000))).not.toThrow();
  expect(() => prepare(fields(1_001))).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
});
