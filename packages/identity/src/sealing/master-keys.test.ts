import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { MasterKeys, masterKeyRing } from './master-keys.ts';
import { SealError } from './seal.ts';

const bytes = randomBytes(32);
const other = randomBytes(32).toString('base64');

describe('a master key', () => {
  test.each(['base64', 'base64url', 'hex'] as const)('is read from %s', (encoding) => {
    expect(MasterKeys.parse([{ id: 'a', key: bytes.toString(encoding) }])).toEqual([{ id: 'a', key: bytes }]);
  });

  test('may end with the newline of the file it came from', () => {
    expect(MasterKeys.parse([{ id: 'a', key: `${bytes.toString('base64')}\n` }])[0]?.key).toEqual(bytes);
  });

  test.each([
    ['no key at all', []],
    ['nothing', undefined],
    ['a short key', [{ id: 'a', key: randomBytes(31).toString('base64') }]],
    ['a long key', [{ id: 'a', key: randomBytes(33).toString('base64') }]],
    ['a pass phrase', [{ id: 'a', key: 'correct horse battery staple' }]],
    ['one byte repeated', [{ id: 'a', key: Buffer.alloc(32, 7).toString('base64') }]],
    ['an empty id', [{ id: '', key: other }]],
    [
      'one id twice',
      [
        { id: 'a', key: other },
        { id: 'a', key: bytes.toString('hex') },
      ],
    ],
    [
      'one value under two ids',
      [
        { id: 'a', key: bytes.toString('base64') },
        { id: 'b', key: bytes.toString('hex') },
      ],
    ],
  ])('is refused: %s', (_, keys) => {
    expect(MasterKeys.safeParse(keys).success).toBe(false);
  });

  test('is not quoted by the message that refuses it', () => {
    const text = randomBytes(20).toString('base64');
    const refused = MasterKeys.safeParse([{ id: 'a', key: text }]);
    expect(JSON.stringify(refused.error?.issues)).toContain('openssl rand');
    expect(JSON.stringify(refused.error?.issues)).not.toContain(text);
  });
});

describe('a ring', () => {
  const [first, second] = MasterKeys.parse([
    { id: 'first', key: bytes.toString('hex') },
    { id: 'second', key: other },
  ]) as [{ id: string; key: Buffer }, { id: string; key: Buffer }];
  const data = randomBytes(32);

  test('wraps with the first key and unwraps with any', () => {
    const { masterKeyId, wrapped } = masterKeyRing([first]).wrap(data, 'here');
    const ring = masterKeyRing([second, first]);
    expect(ring.currentId).toBe('second');
    expect(ring.wrap(data, 'here').masterKeyId).toBe('second');
    expect(ring.unwrap(masterKeyId, wrapped, 'here')).toEqual(data);
  });

  test('says which master key is missing', () => {
    const { masterKeyId, wrapped } = masterKeyRing([first]).wrap(data, 'here');
    expect(() => masterKeyRing([second]).unwrap(masterKeyId, wrapped, 'here')).toThrow(
      /master key first, which is not configured/,
    );
  });

  test('says when an id was given another value', () => {
    const { masterKeyId, wrapped } = masterKeyRing([first]).wrap(data, 'here');
    const changed = masterKeyRing([{ id: 'first', key: second.key }]);
    expect(() => changed.unwrap(masterKeyId, wrapped, 'here')).toThrow(/does not open with master key first/);
  });

  test('refuses a wrapped key that was moved or altered', () => {
    const ring = masterKeyRing([first]);
    const { wrapped } = ring.wrap(data, 'here');
    expect(() => ring.unwrap('first', wrapped, 'there')).toThrow(SealError);
    for (let index = 0; index < wrapped.length; index += 1) {
      const altered = Buffer.from(wrapped);
      altered.writeUInt8(altered.readUInt8(index) ^ 1, index);
      expect(() => ring.unwrap('first', altered, 'here')).toThrow(SealError);
    }
  });
});
