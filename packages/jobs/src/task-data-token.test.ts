import { randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTaskDataToken, taskDataToken } from './task-data-token.ts';

const key = randomBytes(32);
const names = { executionId: fc.uuid(), index: fc.integer({ min: 0, max: 0xffff_ffff }) };

test('a token names the execution and the task that it was made for', () => {
  fc.assert(
    fc.property(names.executionId, names.index, (executionId, index) => {
      const token = taskDataToken(key, executionId, index);
      expect(token).toMatch(/^[\w-]{48}$/);
      expect(readTaskDataToken(key, token)).toEqual({ executionId, index });
    }),
  );
});

test('a token with any flipped bit is refused', () => {
  fc.assert(
    fc.property(names.executionId, names.index, fc.nat({ max: 36 * 8 - 1 }), (executionId, index, bit) => {
      const bytes = Buffer.from(taskDataToken(key, executionId, index), 'base64url');
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(readTaskDataToken(key, bytes.toString('base64url'))).toBeUndefined();
    }),
  );
});

test('a token of another key is refused', () => {
  expect(readTaskDataToken(key, taskDataToken(randomBytes(32), randomUUID(), 0))).toBeUndefined();
});

test('any other text is refused without an error', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.string({ minLength: 48, maxLength: 48 }));
  fc.assert(fc.property(texts, (text) => readTaskDataToken(key, text) === undefined));
});

test('another spelling of a token is refused', () => {
  const token = taskDataToken(key, randomUUID(), 7);
  for (const text of [`${token}=`, `${token}\n`, ` ${token}`, `${token.slice(0, 20)}!${token.slice(20)}`, `${token}AA`])
    expect(readTaskDataToken(key, text)).toBeUndefined();
  const standard = Buffer.alloc(36, 0xff).toString('base64');
  expect(readTaskDataToken(key, standard)).toBeUndefined();
});

test('a token is made only for a UUID and an index of four bytes', () => {
  expect(() => taskDataToken(key, 'execution', 0)).toThrow(RangeError);
  expect(() => taskDataToken(key, randomUUID(), -1)).toThrow(RangeError);
});
