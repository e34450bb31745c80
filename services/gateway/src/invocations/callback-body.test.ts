import { expect, test } from 'vitest';
import { callbackBody } from './callback-body.ts';

const endedAt = new Date('2026-11-19T10:00:00.900Z');
const told = (body: Buffer, bytes = body.length) =>
  JSON.parse(callbackBody({ id: 'call-1', answer: { status: 201, body, bytes }, endedAt }));

test('an answer is told as text with its status, its length and the second of its end', () => {
  expect(told(Buffer.from('{"city":"Malmö"}'))).toEqual({
    status_code: 201,
    response_body: '{"city":"Malmö"}',
    response_length: 17,
    timestamp: 1_795_082_400,
    invocation_id: 'call-1',
  });
});

test('bytes that are no text are told in base64, and say so', () => {
  const bytes = Buffer.from([0xff, 0x00, 0xc3]);
  expect(told(bytes)).toMatchObject({ response_body: bytes.toString('base64'), response_encoding: 'base64' });
});

test('an answer that is cut within a character is text without that character, with its true length', () => {
  const whole = Buffer.from('aé');
  expect(told(whole.subarray(0, 2), 3)).toMatchObject({ response_body: 'a', response_length: 3 });
  expect(told(whole.subarray(0, 2))).toMatchObject({ response_encoding: 'base64' });
});

test('signs that a database cannot store as they are stay in it', () => {
  expect(
    callbackBody({ id: 'x', answer: { status: 200, body: Buffer.from('a\0b'), bytes: 3 }, endedAt }),
  ).not.toContain('\0');
});

test('where nobody knows what the agent did, the status is 0', () => {
  expect(JSON.parse(callbackBody({ id: 'x', answer: undefined, endedAt }))).toMatchObject({
    ...{ status_code: 0, response_body: '', response_length: 0 },
  });
});
