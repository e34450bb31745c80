import { expect, test } from 'vitest';
import { streamedText } from './streamed-text.ts';

const event = (value: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);

test.each([
  ['OpenAI chat', { id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Oslo, today' } }] }],
  [
    'a call of a tool, with the signs that JSON escapes',
    { choices: [{ delta: { tool_calls: [{ function: { arguments: '{"a":"Os' } }] } }] },
  ],
  ['OpenAI responses', { type: 'response.output_text.delta', item_id: 'm', delta: 'Oslo, today' }],
  ['Anthropic messages', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Oslo, today' } }],
  ['Gemini', { candidates: [{ content: { parts: [{ text: 'Oslo, today' }], role: 'model' } }] }],
])('the text of an event is counted without its frame: %s', (_dialect, value) => {
  expect(streamedText(event(value))).toBe(11);
});

test('an event without text has none', () => {
  expect(streamedText(Buffer.from(': ping\n\n'))).toBe(0);
  expect(streamedText(Buffer.from('data: [DONE]\n\n'))).toBe(0);
  expect(streamedText(event({ type: 'message_stop', content: [], text: null, delta: { stop_reason: 'end' } }))).toBe(0);
});
