// Answers of providers in their dialects, streamed and unstreamed: a word, a call of a tool, and what both cost.
import { answerEvents, answerJson, type ProviderAnswer } from '../../harness/provider-stand-in.ts';

export const usage = { sent: 21, received: 8 };
export const said = 'It rains in Oslo.';
export const tool = { name: 'weather', arguments: '{"city":"Oslo"}' };

const json = (value: object): string => `data: ${JSON.stringify(value)}`;
const named = (value: { type: string }): string => `event: ${value.type}\n${json(value)}`;

const chatUsage = { prompt_tokens: usage.sent, completion_tokens: usage.received, total_tokens: 29 };
const chatHead = { id: 'chat-1', created: 1, model: 'm' };
const chatCall = { id: 'call-1', type: 'function', function: { name: tool.name, arguments: tool.arguments } };
const chat = answerJson({
  ...{ ...chatHead, object: 'chat.completion', usage: chatUsage },
  choices: [
    { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: said, tool_calls: [chatCall] } },
  ],
});
const chunk = (delta: object, more: object = {}) =>
  json({ ...chatHead, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more });
const [front, back] = [tool.arguments.slice(0, 5), tool.arguments.slice(5)];
/** The usage comes only to those who ask for it. */
const chatStream: ProviderAnswer = (request, response) => {
  const asks = JSON.parse(request.body).stream_options?.include_usage === true;
  const more = asks ? { usage: null } : {};
  const events = [
    chunk({ role: 'assistant', content: 'It rains ' }, more),
    chunk({ content: 'in Oslo.' }, more),
    chunk({ tool_calls: [{ index: 0, ...chatCall, function: { name: tool.name, arguments: front } }] }, more),
    chunk({ tool_calls: [{ index: 0, function: { arguments: back } }] }, more),
    ...(asks ? [json({ ...chatHead, object: 'chat.completion.chunk', choices: [], usage: chatUsage })] : []),
    'data: [DONE]',
  ];
  return answerEvents(events)(request, response);
};

const responseBody = {
  ...{ id: 'resp-1', object: 'response', created_at: 1, model: 'm', status: 'completed' },
  output: [
    {
      ...{ type: 'message', id: 'msg-1', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: said, annotations: [] }],
    },
    {
      type: 'function_call',
      id: 'fc-1',
      call_id: 'call-1',
      name: tool.name,
      arguments: tool.arguments,
      status: 'completed',
    },
  ],
  usage: { input_tokens: usage.sent, output_tokens: usage.received, total_tokens: 29 },
};
const responseEvents = [
  named({
    type: 'response.created',
    response: { ...responseBody, status: 'in_progress', output: [], usage: null },
  } as never),
  named({
    type: 'response.output_text.delta',
    item_id: 'msg-1',
    output_index: 0,
    content_index: 0,
    delta: said,
  } as never),
  named({ type: 'response.completed', response: responseBody } as never),
];

const messageHead = { id: 'msg-1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
const toolUse = { type: 'tool_use', id: 'call-1', name: tool.name, input: JSON.parse(tool.arguments) };
const messages = answerJson({
  ...{ ...messageHead, stop_reason: 'tool_use', content: [{ type: 'text', text: said }, toolUse] },
  usage: { input_tokens: usage.sent, output_tokens: usage.received },
});
const messageEvents = [
  {
    type: 'message_start',
    message: { ...messageHead, content: [], stop_reason: null, usage: { input_tokens: usage.sent, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'ping' },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: said } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { ...toolUse, input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: front } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: back } },
  { type: 'content_block_stop', index: 1 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: usage.received },
  },
  { type: 'message_stop' },
].map(named);

const candidate = (parts: readonly object[]) => [{ content: { role: 'model', parts }, index: 0 }];
const googleUsage = { promptTokenCount: usage.sent, candidatesTokenCount: usage.received, totalTokenCount: 29 };
const generated = answerJson({ candidates: candidate([{ text: said }]), usageMetadata: googleUsage });
const generatedEvents = [
  json({ candidates: candidate([{ text: 'It rains ' }]), usageMetadata: { ...googleUsage, candidatesTokenCount: 2 } }),
  json({ candidates: candidate([{ text: 'in Oslo.' }]), usageMetadata: googleUsage }),
];

const embedded = answerJson({
  ...{ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }] },
  usage: { prompt_tokens: usage.sent, total_tokens: usage.sent },
});

const dialects: readonly (readonly [path: RegExp, whole: ProviderAnswer, stream: ProviderAnswer])[] = [
  [/\/chat\/completions$/, chat, chatStream],
  [/\/responses$/, answerJson(responseBody), answerEvents(responseEvents)],
  [/\/messages$/, messages, answerEvents(messageEvents)],
  [/:generateContent$/, generated, generated],
  [/:streamGenerateContent\?alt=sse$/, generated, answerEvents(generatedEvents)],
  [/\/embeddings$/, embedded, embedded],
];

export const answerInDialect: ProviderAnswer = (request, response) => {
  const found = dialects.find(([path]) => path.test(request.path));
  if (found === undefined) return answerJson({ error: `no ${request.path}` }, 404)(request, response);
  const [, whole, stream] = found;
  const isStream = JSON.parse(request.body).stream === true || request.path.includes(':stream');
  return (isStream ? stream : whole)(request, response);
};
