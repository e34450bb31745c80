// One exchange in each dialect, streamed and not. The exchanges are written for these tests in the form of the providers' APIs.
import { isDeepStrictEqual } from 'node:util';
import type { Provider, ProviderEndpoint } from '@berth/contract';
import { describe, expect, test } from 'vitest';
import type { Tokens } from '../limits/tokens.ts';
import { type AnswerToRead, createAnswerReader } from './answer-reader.ts';
import { matchEndpoint } from './match-endpoint.ts';
import { prepareBody } from './prepare-body.ts';

interface Sample {
  readonly path: string;
  readonly body: object;
  readonly contentType: string;
  readonly answer: string;
  /** Part of the answer that is not for the client. */
  readonly dropped?: string;
}

interface Dialect {
  readonly name: string;
  readonly model: string;
  readonly endpoints: Provider['endpoints'];
  readonly unstreamed: Sample;
  readonly streamed: readonly Sample[];
  readonly tokens: Tokens;
}

const json = 'application/json; charset=UTF-8';
const eventStream = 'text/event-stream; charset=utf-8';
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;
const done = 'data: [DONE]\n\n';
const withCrLf = (text: string): string => text.replaceAll('\n', '\r\n');

const weatherTool = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const question = { role: 'user', content: 'Wie wird das Wetter in Zürich? ☀' };

function openAiChat(): Dialect {
  const usage = {
    prompt_tokens: 82,
    completion_tokens: 17,
    total_tokens: 99,
    prompt_tokens_details: { cached_tokens: 64, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  const paths = {
    sent: ['usage.prompt_tokens'],
    cached: ['usage.prompt_tokens_details.cached_tokens'],
    received: ['usage.completion_tokens'],
  };
  const endpoint: ProviderEndpoint = {
    method: 'POST',
    model: 'body',
    streams: { key: 'stream' },
    tokens: paths,
    streamTokens: paths,
    asksForUsage: true,
  };
  const head = { id: 'chatcmpl-1', created: 1_763_000_000, model: 'gpt-4o-2024-08-06', system_fingerprint: 'fp_1' };
  const chunk = (choices: object[], told: object | null = null) =>
    data({ ...head, object: 'chat.completion.chunk', choices, usage: told });
  const choice = (delta: object, finish_reason: string | null = null) => [
    { index: 0, delta, logprobs: null, finish_reason },
  ];
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } };
  const argumentsOf = (part: string) => choice({ tool_calls: [{ index: 0, function: { arguments: part } }] });
  // Azure begins its streams with an event without choices, which is for the client.
  const filters = data({ choices: [], id: '', object: '', prompt_filter_results: [{ prompt_index: 0 }] });
  const events = [
    filters,
    chunk(choice({ role: 'assistant', content: null, refusal: null })),
    chunk(choice({ content: 'Ich frage nach: "prompt_tokens" 🌦' })),
    chunk(choice({ tool_calls: [{ index: 0, ...call, function: { name: 'weather', arguments: '' } }] })),
    ...['{"ci', 'ty":"Zü', 'rich"}'].map((part) => chunk(argumentsOf(part))),
    chunk(choice({}, 'tool_calls')),
  ].join('');
  const usageEvent = chunk([], usage);
  const body = { model: 'gpt-4o', messages: [question], tools: [weatherTool] };
  const streamed = { path: '/v1/chat/completions', contentType: eventStream, answer: events + usageEvent + done };
  return {
    name: 'OpenAI chat',
    model: 'gpt-4o',
    endpoints: { '/v1/chat/completions': endpoint, '/v1/completions': endpoint },
    unstreamed: {
      path: '/chat/completions',
      body,
      contentType: json,
      answer: JSON.stringify({
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' }],
        usage,
      }),
    },
    streamed: [
      { ...streamed, body: { ...body, stream: true }, dropped: usageEvent },
      { ...streamed, body: { ...body, stream: true, stream_options: { include_usage: true } } },
      {
        ...streamed,
        body: { ...body, stream: true, stream_options: { include_usage: false } },
        answer: withCrLf(streamed.answer),
        dropped: withCrLf(usageEvent),
      },
    ],
    tokens: { sent: 82, cached: 64, received: 17 },
  };
}

function openAiResponses(): Dialect {
  const usage = {
    input_tokens: 36,
    input_tokens_details: { cached_tokens: 8 },
    output_tokens: 87,
    output_tokens_details: { reasoning_tokens: 64 },
    total_tokens: 123,
  };
  const response = (status: string, output: object[], told: object | null) => ({
    ...{ id: 'resp_1', object: 'response', created_at: 1_763_000_000, status, error: null },
    ...{ model: 'gpt-4.1', output, parallel_tool_calls: true, temperature: 1.0, usage: told },
  });
  const message = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Schön. ☀' }],
  };
  const delta = (text: string) => named({ type: 'response.output_text.delta', ...{ item_id: 'msg_1', delta: text } });
  const step = (type: string, inner: object) => named({ type, ...inner });
  const path = '/v1/responses';
  return {
    name: 'OpenAI responses',
    model: 'gpt-4.1',
    endpoints: {
      [path]: {
        method: 'POST',
        model: 'body',
        streams: { key: 'stream' },
        tokens: {
          sent: ['usage.input_tokens'],
          cached: ['usage.input_tokens_details.cached_tokens'],
          received: ['usage.output_tokens'],
        },
        streamTokens: {
          sent: ['response.usage.input_tokens'],
          cached: ['response.usage.input_tokens_details.cached_tokens'],
          received: ['response.usage.output_tokens'],
        },
      },
    },
    unstreamed: {
      path,
      body: { model: 'gpt-4.1', input: question.content },
      contentType: json,
      answer: JSON.stringify(response('completed', [message], usage), undefined, 2),
    },
    streamed: [
      {
        path,
        body: { input: question.content, stream: true },
        contentType: eventStream,
        answer: [
          step('response.created', { response: response('in_progress', [], null) }),
          step('response.output_item.added', { output_index: 0, item: { ...message, content: [] } }),
          ...['Sch', 'ön', '. ☀'].map(delta),
          step('response.output_item.done', { output_index: 0, item: message }),
          step('response.completed', { response: response('completed', [message], usage) }),
        ].join(''),
      },
    ],
    tokens: { sent: 36, cached: 8, received: 87 },
  };
}

function anthropicMessages(): Dialect {
  const input = { input_tokens: 12, cache_creation_input_tokens: 30, cache_read_input_tokens: 400 };
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5' };
  const inputPaths = (prefix: string) => Object.keys(input).map((name) => `${prefix}usage.${name}`);
  const block = (index: number, delta: object) => named({ type: 'content_block_delta', ...{ index, delta } });
  const tool = { type: 'tool_use', id: 'toolu_1', name: 'weather' };
  const body = { model: 'claude-sonnet-4-5', max_tokens: 1_024, messages: [question] };
  const path = '/v1/messages';
  return {
    name: 'Anthropic messages',
    model: 'claude-sonnet-4-5',
    endpoints: {
      [path]: {
        method: 'POST',
        model: 'body',
        streams: { key: 'stream' },
        tokens: {
          sent: inputPaths(''),
          cached: ['usage.cache_read_input_tokens'],
          received: ['usage.output_tokens'],
        },
        streamTokens: {
          sent: inputPaths('message.'),
          cached: ['message.usage.cache_read_input_tokens'],
          received: ['usage.output_tokens'],
        },
      },
    },
    unstreamed: {
      path: '/',
      body,
      contentType: json,
      answer: JSON.stringify({
        ...head,
        content: [
          { type: 'text', text: 'Moment. 🌦' },
          { ...tool, input: { city: 'Zürich' } },
        ],
        stop_reason: 'tool_use',
        usage: { ...input, output_tokens: 58, service_tier: 'standard' },
      }),
    },
    streamed: [
      {
        path,
        body: { ...body, stream: true },
        contentType: eventStream,
        answer: [
          named({
            type: 'message_start',
            ...{ message: { ...head, content: [], usage: { ...input, output_tokens: 2 } } },
          }),
          named({ type: 'content_block_start', ...{ index: 0, content_block: { type: 'text', text: '' } } }),
          named({ type: 'ping' }),
          block(0, { type: 'text_delta', text: 'Moment. 🌦' }),
          named({ type: 'content_block_stop', ...{ index: 0 } }),
          named({ type: 'content_block_start', ...{ index: 1, content_block: { ...tool, input: {} } } }),
          ...['{"city"', ': "Zürich"}'].map((part) => block(1, { type: 'input_json_delta', partial_json: part })),
          named({ type: 'content_block_stop', ...{ index: 1 } }),
          named({ type: 'message_delta', ...{ delta: { stop_reason: null }, usage: { output_tokens: 31 } } }),
          named({ type: 'message_delta', ...{ delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 58 } } }),
          named({ type: 'message_stop' }),
        ].join(''),
      },
    ],
    tokens: { sent: 442, cached: 400, received: 58 },
  };
}

function geminiGenerate(): Dialect {
  const paths = {
    sent: ['usageMetadata.promptTokenCount', 'usageMetadata.toolUsePromptTokenCount'],
    cached: ['usageMetadata.cachedContentTokenCount'],
    received: ['usageMetadata.candidatesTokenCount', 'usageMetadata.thoughtsTokenCount'],
  };
  const part = (text: string, received: number, finishReason?: string) => ({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata: {
      promptTokenCount: 21,
      cachedContentTokenCount: 6,
      candidatesTokenCount: received,
      thoughtsTokenCount: 40,
      totalTokenCount: 61 + received,
    },
    modelVersion: 'gemini-2.5-flash',
  });
  const parts = [part('Es bleibt ', 3), part('trocken 🌤', 7), part('.', 8, 'STOP')];
  const body = { contents: [{ role: 'user', parts: [{ text: question.content }] }] };
  const streamPath = '/v1beta/models/gemini-2.5-flash:streamGenerateContent';
  return {
    name: 'Gemini generateContent',
    model: 'gemini-2.5-flash',
    endpoints: {
      '/v1beta/models/{model}:generateContent': { method: 'POST', model: 'path', tokens: paths },
      '/v1beta/models/{model}:streamGenerateContent': {
        method: 'POST',
        model: 'path',
        streams: 'path',
        streamTokens: paths,
      },
    },
    unstreamed: {
      path: '/v1beta/models/gemini-2.5-flash:generateContent',
      body,
      contentType: json,
      answer: JSON.stringify(part('Es bleibt trocken 🌤.', 8, 'STOP'), undefined, 2),
    },
    streamed: [
      {
        path: `${streamPath}?alt=sse&key=bl_client`,
        body,
        contentType: 'text/event-stream',
        answer: parts.map((each) => withCrLf(data(each))).join(''),
      },
      { path: streamPath, body, contentType: json, answer: JSON.stringify(parts, undefined, 2) },
    ],
    tokens: { sent: 21, cached: 6, received: 48 },
  };
}

function cohereChat(): Dialect {
  const usage = {
    billed_units: { input_tokens: 11, output_tokens: 30 },
    tokens: { input_tokens: 211, output_tokens: 32 },
  };
  const content = (text: string) =>
    named({ type: 'content-delta', ...{ index: 0, delta: { message: { content: { text } } } } });
  const body = { messages: [question] };
  const path = '/v2/chat';
  return {
    name: 'Cohere chat',
    model: 'command-a-03-2025',
    endpoints: {
      [path]: {
        method: 'POST',
        model: 'body',
        streams: { key: 'stream' },
        tokens: { sent: ['usage.tokens.input_tokens'], received: ['usage.tokens.output_tokens'] },
        streamTokens: { sent: ['delta.usage.tokens.input_tokens'], received: ['delta.usage.tokens.output_tokens'] },
      },
    },
    unstreamed: {
      path,
      body,
      contentType: 'application/json',
      answer: JSON.stringify({
        id: 'c1',
        finish_reason: 'COMPLETE',
        message: { role: 'assistant', content: [{ type: 'text', text: 'Föhn. 🌬' }] },
        usage,
      }),
    },
    streamed: [
      {
        path: '/chat',
        body: { ...body, stream: true },
        contentType: 'text/event-stream',
        answer: [
          named({ type: 'message-start', ...{ id: 'c1', delta: { message: { role: 'assistant', content: [] } } } }),
          named({
            type: 'content-start',
            ...{ index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
          }),
          ...['Fö', 'hn', '. 🌬'].map(content),
          named({ type: 'content-end', ...{ index: 0 } }),
          named({ type: 'message-end', ...{ id: 'c1', delta: { finish_reason: 'COMPLETE', usage } } }),
        ].join(''),
      },
    ],
    tokens: { sent: 211, cached: 0, received: 32 },
  };
}

function openAiEmbeddings(): Dialect {
  const path = '/v1/embeddings';
  return {
    name: 'OpenAI embeddings',
    model: 'text-embedding-3-small',
    endpoints: { [path]: { method: 'POST', model: 'body', tokens: { sent: ['usage.prompt_tokens'] } } },
    unstreamed: {
      path: '/embeddings',
      body: { input: [question.content], encoding_format: 'float' },
      contentType: 'application/json',
      answer: JSON.stringify({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.0123, -1e-7, 2] }],
        model: 'text-embedding-3-small',
        usage: { prompt_tokens: 13, total_tokens: 13 },
      }),
    },
    streamed: [],
    tokens: { sent: 13, cached: 0, received: 0 },
  };
}

const dialects: readonly Dialect[] = [
  openAiChat(),
  openAiResponses(),
  anthropicMessages(),
  geminiGenerate(),
  cohereChat(),
  openAiEmbeddings(),
];

/** Takes the request through the steps before the provider. */
function request({ model, endpoints }: Dialect, { path, body, contentType }: Sample) {
  const provider: Provider = { name: 'sample', displayName: 'Sample', keyHeader: 'authorization', endpoints };
  const found = matchEndpoint(provider, path);
  if (found === undefined) throw new Error(`no endpoint at ${path}`);
  const { endpoint } = found;
  const prepared = prepareBody({ endpoint, model, pathModel: found.model, body: Buffer.from(JSON.stringify(body)) });
  const { isStream, dropsUsageEvent } = prepared;
  const answer: AnswerToRead = { endpoint, contentType, isStream, dropsUsageEvent };
  return { found, prepared, answer };
}

function read(answer: AnswerToRead, chunks: readonly Buffer[]) {
  const reader = createAnswerReader(answer);
  const passed = chunks.flatMap((chunk) => reader.pass(chunk));
  passed.push(...reader.end());
  return { passed: Buffer.concat(passed), tokens: reader.tokens() };
}

const samples = dialects.flatMap((dialect) =>
  [dialect.unstreamed, ...dialect.streamed].map((sample, index) => ({
    title: `${dialect.name}, ${index === 0 ? 'unstreamed' : `streamed (${index})`}`,
    dialect,
    sample,
    isStream: index > 0,
  })),
);

describe.each(samples)('$title:', ({ dialect, sample, isStream }) => {
  const { found, prepared, answer } = request(dialect, sample);
  const bytes = Buffer.from(sample.answer);
  const expected = Buffer.from(
    sample.dropped === undefined ? sample.answer : sample.answer.replace(sample.dropped, ''),
  );

  test("the request reaches the provider with the owner's model and without the client's key", () => {
    expect(found.path).not.toMatch(/key=|\{/);
    expect(prepared).toMatchObject({ model: dialect.model, isStream, dropsUsageEvent: sample.dropped !== undefined });
    const body: unknown = JSON.parse(prepared.body.toString());
    if (sample.dropped === undefined) expect(body).toMatchObject(sample.body);
    else expect(body).toMatchObject({ ...sample.body, stream_options: { include_usage: true } });
    if (found.endpoint.model === 'body') expect(body).toHaveProperty('model', dialect.model);
  });

  const offsets = Array.from({ length: bytes.length + 1 }, (_, at) => at);

  test('wherever the answer is cut in two, its tokens and the bytes for the client are the same', () => {
    const wrong = offsets.filter((at) => {
      const { passed, tokens } = read(answer, [bytes.subarray(0, at), bytes.subarray(at)]);
      return !passed.equals(expected) || !isDeepStrictEqual(tokens, dialect.tokens);
    });
    expect(wrong).toEqual([]);
  });

  test('byte by byte, its tokens and the bytes for the client are the same', () => {
    const { passed, tokens } = read(
      answer,
      Array.from(bytes, (byte) => Buffer.from([byte])),
    );
    expect(tokens).toEqual(dialect.tokens);
    expect(passed.toString()).toBe(expected.toString());
  });

  test('an answer that breaks off anywhere costs something', () => {
    const free = offsets.slice(1).filter((at) => {
      const reader = createAnswerReader(answer);
      reader.pass(bytes.subarray(0, at));
      const tokens = reader.tokens() ?? reader.estimate(prepared.body.length);
      return tokens.sent < 1;
    });
    expect(free).toEqual([]);
  });
});

test('only the usage that the client has not asked for is dropped', () => {
  expect(samples.filter(({ sample }) => sample.dropped !== undefined).map(({ title }) => title)).toEqual([
    'OpenAI chat, streamed (1)',
    'OpenAI chat, streamed (3)',
  ]);
});
