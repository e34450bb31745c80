import type { ProviderEndpoint } from '@berth/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AnswerToRead, createAnswerReader } from './answer-reader.ts';

const usage = {
  sent: ['usage.prompt_tokens'],
  cached: ['usage.prompt_tokens_details.cached_tokens'],
  received: ['usage.completion_tokens'],
};
const chat: ProviderEndpoint = {
  method: 'POST',
  model: 'body',
  streams: { key: 'stream' },
  tokens: usage,
  streamTokens: usage,
  asksForUsage: true,
};
const messages: ProviderEndpoint = {
  method: 'POST',
  model: 'body',
  streams: { key: 'stream' },
  streamTokens: {
    sent: ['message.usage.input_tokens', 'message.usage.cache_read_input_tokens'],
    cached: ['message.usage.cache_read_input_tokens'],
    received: ['usage.output_tokens'],
  },
};
const generateStream: ProviderEndpoint = {
  method: 'POST',
  model: 'path',
  streams: 'path',
  streamTokens: { sent: ['usage.in'], received: ['usage.out', 'usage.thoughts'] },
};

const eventStream = 'text/event-stream; charset=utf-8';
const stream = { endpoint: chat, contentType: eventStream, isStream: true, dropsUsageEvent: false };
const dropping = { ...stream, dropsUsageEvent: true };
const json = { endpoint: chat, contentType: 'application/json', isStream: false, dropsUsageEvent: false };

/** Passes the chunks and ends the answer. */
function read(answer: AnswerToRead, ...chunks: (Buffer | string)[]) {
  const reader = createAnswerReader(answer);
  const passed = chunks.map((chunk) => reader.pass(Buffer.from(chunk)));
  const left = reader.end();
  return { passed: Buffer.concat([...passed.flat(), ...left]).toString(), tokens: reader.tokens() };
}
const tokensOf = (answer: AnswerToRead, ...chunks: (Buffer | string)[]) => read(answer, ...chunks).tokens;

const usageOf = (sent: unknown, received: unknown) => ({ usage: { prompt_tokens: sent, completion_tokens: received } });
const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const content = event({ choices: [{ delta: { content: 'a' } }], usage: null });
const usageEvent = event({ choices: [], ...usageOf(7, 3) });
const done = 'data: [DONE]\n\n';

describe('bytes', () => {
  test('pass at once and as the same buffer, also within an event', () => {
    const chunks = [content.slice(0, 9), content.slice(9), usageEvent.slice(0, -1), 'x'].map((text) =>
      Buffer.from(text),
    );
    for (const answer of [stream, json, { ...stream, endpoint: { method: 'POST', model: 'body' } } as const]) {
      const reader = createAnswerReader(answer);
      for (const chunk of chunks) {
        const [passed, ...more] = reader.pass(chunk);
        expect(passed).toBe(chunk);
        expect(more).toEqual([]);
      }
      expect(reader.end()).toEqual([]);
    }
  });

  test('of complete events pass at once when an event has to be dropped; an incomplete one waits for its end', () => {
    const reader = createAnswerReader(dropping);
    const pass = (text: string) => Buffer.concat(reader.pass(Buffer.from(text))).toString();
    expect(pass(content)).toBe(content);
    expect(pass(content + content.slice(0, 5))).toBe(content);
    expect(pass(content.slice(5))).toBe(content);
    expect(pass(usageEvent.slice(0, 20))).toBe('');
    expect(pass(usageEvent.slice(20) + done)).toBe(done);
    expect(pass('data: rest')).toBe('');
    expect(Buffer.concat(reader.end()).toString()).toBe('data: rest');
  });

  test('without the event that the client has not asked for are those of the provider', () => {
    const empty = event({ choices: [], prompt_filter_results: ['"prompt_tokens"'] });
    const withChoice = event({ choices: [{ delta: {} }], ...usageOf(6, 2) });
    const withoutChoices = event(usageOf(5, 1));
    const before = empty + content + withChoice + withoutChoices;
    expect(read(dropping, before + usageEvent + done)).toEqual({
      passed: before + done,
      tokens: { sent: 7, cached: 0, received: 3 },
    });
    expect(read(dropping, content + usageEvent.trimEnd()).passed).toBe(content);
    expect(read(stream, before + usageEvent + done).passed).toBe(before + usageEvent + done);
  });

  test('pass unread behind an event that is too long, and nothing of it is lost', () => {
    const long = event({ choices: [{ delta: { content: 'x'.repeat(300 * 1024) } }] });
    const chunks = [content + long.slice(0, 200_000), long.slice(200_000, 290_000), long.slice(290_000), usageEvent];
    for (const answer of [stream, dropping])
      expect(read(answer, ...chunks)).toEqual({ passed: content + long + usageEvent, tokens: undefined });
  });

  test('that are not events pass at once, whatever the client asked for', () => {
    const error = '{"error":{"message":"busy"}}';
    const answer = { ...dropping, contentType: 'application/json' };
    const reader = createAnswerReader(answer);
    expect(Buffer.concat(reader.pass(Buffer.from(error))).toString()).toBe(error);
    expect(read(answer, JSON.stringify({ choices: [], ...usageOf(1, 2) })).tokens).toMatchObject({
      sent: 1,
      received: 2,
    });
  });

  test('that are encoded pass and are not read', () => {
    for (const contentEncoding of ['gzip', 'br', 'identity, gzip'])
      expect(read({ ...dropping, contentEncoding }, content + usageEvent)).toEqual({
        passed: content + usageEvent,
        tokens: undefined,
      });
    expect(read({ ...dropping, contentEncoding: 'Identity' }, content + usageEvent).passed).toBe(content);
  });
});

describe('the tokens of an answer in one piece', () => {
  test('are known at its end', () => {
    const reader = createAnswerReader(json);
    reader.pass(Buffer.from(JSON.stringify({ ...usageOf(7, 3), a: 1 })));
    expect(reader.tokens()).toBeUndefined();
    reader.end();
    expect(reader.tokens()).toEqual({ sent: 7, cached: 0, received: 3 });
  });

  test('are read from types of JSON, and without a type when no stream was asked for', () => {
    const text = JSON.stringify(usageOf(7, 3));
    for (const contentType of ['Application/JSON; charset=utf-8', 'application/problem+json', undefined])
      expect(tokensOf({ ...json, contentType }, text)).toMatchObject({ sent: 7 });
    expect(tokensOf({ ...json, contentType: 'text/html' }, text)).toBeUndefined();
    expect(tokensOf({ ...stream, contentType: undefined }, usageEvent)).toMatchObject({ sent: 7 });
  });

  test('are unknown in more than 4 MiB, and where the endpoint counts none', () => {
    const text = (length: number) => `${JSON.stringify(usageOf(7, 3)).slice(0, -1)},"a":"${'x'.repeat(length)}"}`;
    const half = 2 * 1024 * 1024;
    const chunksOf = (body: string) => [body.slice(0, half), body.slice(half), ''];
    expect(tokensOf(json, ...chunksOf(text(2 * half - 200)))).toMatchObject({ sent: 7 });
    expect(read(json, ...chunksOf(text(2 * half)))).toEqual({ passed: text(2 * half), tokens: undefined });
    expect(tokensOf({ ...json, endpoint: messages }, text(1))).toBeUndefined();
  });

  test('are the last ones of a list, which an endpoint that always streams may answer', () => {
    const list = { ...json, endpoint: generateStream, isStream: true };
    const parts = [{ usage: { in: 4, out: 1 } }, { a: 1 }, null, { usage: { in: 4, out: 2, thoughts: 3 } }];
    expect(tokensOf(list, JSON.stringify(parts))).toEqual({ sent: 4, cached: 0, received: 5 });
  });
});

describe('the tokens of a stream', () => {
  test('are the last ones told; a number that an event does not hold stays', () => {
    const told = [{ message: { usage: { input_tokens: 5, cache_read_input_tokens: 20, output_tokens: 1 } } }];
    const deltas = [{ usage: { output_tokens: 9 } }, { usage: {} }, { usage: { output_tokens: 12 } }];
    const answer = { ...stream, endpoint: messages };
    expect(tokensOf(answer, [...told, ...deltas].map(event).join(''))).toEqual({ sent: 25, cached: 20, received: 12 });
  });

  test('are a sum over the paths that one event holds, not over events', () => {
    const parts = [{ usage: { in: 1, out: 5, thoughts: 5 } }, { usage: { in: 1, out: 3 } }];
    expect(tokensOf({ ...stream, endpoint: generateStream }, parts.map(event).join(''))).toMatchObject({ received: 3 });
  });

  test('are unknown until the sent ones are told', () => {
    expect(tokensOf(stream, content, done)).toBeUndefined();
    expect(tokensOf(stream, event({ usage: { completion_tokens: 3 } }))).toBeUndefined();
  });

  test('that broke off before it told the received ones has an estimate of them', () => {
    const reader = createAnswerReader({ ...stream, endpoint: messages });
    const start = event({ message: { usage: { input_tokens: 5 } } });
    reader.pass(Buffer.from(start));
    reader.pass(Buffer.from(event({ delta: { text: 'x'.repeat(400) } })));
    expect(reader.tokens()).toBeUndefined();
    expect(reader.estimate(1_000)).toEqual({ sent: 5, cached: 0, received: 100 });
    const embeddings: ProviderEndpoint = { ...chat, streamTokens: { sent: usage.sent } };
    expect(tokensOf({ ...stream, endpoint: embeddings }, usageEvent)).toEqual({ sent: 7, cached: 0, received: 0 });
  });

  test('are read across lines of data, comments and a last event without its blank line', () => {
    const lines = JSON.stringify(usageOf(7, 3), undefined, 1)
      .split('\n')
      .map((line) => `data: ${line}\r\n`);
    expect(tokensOf(stream, `: ping\n\n${lines.join('')}`)).toMatchObject({ sent: 7, received: 3 });
  });
});

describe('whatever a provider tells,', () => {
  const good = { sent: 7, cached: 0, received: 3 };
  const values: unknown[] = [-1, 1.5, 2 ** 53, 1e300, '7', '', true, null, [], [7], {}, { valueOf: 7 }];

  test.each(values)('%j is not a number of tokens', (value) => {
    expect(tokensOf(json, JSON.stringify(usageOf(value, 3)))).toBeUndefined();
    expect(tokensOf(json, JSON.stringify(usageOf(7, value)))).toBeUndefined();
    expect(tokensOf(stream, usageEvent + event(usageOf(value, value)))).toEqual(good);
  });

  test('zero is never negative, and a sum is never unsafe', () => {
    expect(tokensOf(json, '{"usage":{"prompt_tokens":-0,"completion_tokens":-0.0}}')).toEqual({
      sent: 0,
      cached: 0,
      received: 0,
    });
    const most = Number.MAX_SAFE_INTEGER;
    const answer = { ...stream, endpoint: generateStream };
    const parts = [{ usage: { in: most, out: 2 } }, { usage: { in: most, out: most, thoughts: 1 } }];
    expect(tokensOf(answer, parts.map(event).join(''))).toEqual({ sent: most, cached: 0, received: 2 });
  });

  test('the cached tokens are a part of the sent ones', () => {
    const body = { usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 100 } } };
    expect(tokensOf(json, JSON.stringify(body))).toEqual({ sent: 7, cached: 7, received: 3 });
  });

  test('keys of prototypes and values of a hundred thousand levels are no numbers', () => {
    const inherited: ProviderEndpoint = {
      ...chat,
      tokens: {
        sent: ['usage.prompt_tokens', 'usage.constructor.length', '__proto__.n'],
        received: ['usage.toString.length'],
      },
    };
    const hostile = '{"__proto__":{"usage":{"prompt_tokens":1}},"constructor":1,"usage":{"__proto__":{"a":1}}}';
    expect(tokensOf({ ...json, endpoint: inherited }, hostile)).toBeUndefined();
    const deep = '['.repeat(100_000);
    for (const text of [`{"usage":{"prompt_tokens":${deep}`, `{"prompt_tokens":${deep}${']'.repeat(100_000)}}`]) {
      expect(tokensOf(json, text)).toBeUndefined();
      expect(tokensOf(stream, `data: ${text}\n\n`)).toBeUndefined();
    }
  });

  test('no bytes make the reader throw or give a number that is no count', () => {
    const anyUsage = fc.record(
      {
        choices: fc.oneof(fc.constant([]), fc.jsonValue()),
        usage: fc.oneof(
          fc.jsonValue(),
          fc.record({ prompt_tokens: fc.jsonValue(), completion_tokens: fc.jsonValue() }, { requiredKeys: [] }),
        ),
      },
      { requiredKeys: [] },
    );
    const part = fc.oneof(
      fc.constantFrom(event, JSON.stringify).chain((render) => anyUsage.map((value) => Buffer.from(render(value)))),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('\n\n', 'data: ', usageEvent).map((text) => Buffer.from(text)),
    );
    const answers = fc.constantFrom<AnswerToRead>(json, stream, dropping);
    fc.assert(
      fc.property(answers, fc.array(part), (answer, chunks) => {
        const { passed, tokens } = read(answer, ...chunks);
        if (!answer.dropsUsageEvent) expect(passed).toBe(Buffer.concat(chunks).toString());
        for (const count of Object.values(tokens ?? {})) {
          expect(Number.isSafeInteger(count)).toBe(true);
          expect(count).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300 },
    );
  });
});
