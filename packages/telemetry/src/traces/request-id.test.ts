import { expect, test } from 'vitest';
import { requestIdFrom } from './request-id.ts';

test('a harmless id of the caller is kept', () => {
  expect(requestIdFrom('req_01J.a-b:c', () => 'new')).toBe('req_01J.a-b:c');
});

test.each([undefined, '', 'a b', 'a\nlevel=error', 'x'.repeat(129), 'ü'])(
  'a missing or odd id is replaced: %j',
  (id) => {
    expect(requestIdFrom(id, () => 'new')).toBe('new');
  },
);

test('ids of our own differ', () => {
  expect(requestIdFrom(undefined)).not.toBe(requestIdFrom(undefined));
});
