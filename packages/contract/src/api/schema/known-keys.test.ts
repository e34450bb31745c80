import { describe, expect, test } from 'vitest';
import type { Kind } from '../kinds/kind.ts';
import { resourceInput } from '../kinds/kind-operations.ts';
import { kinds } from '../kinds/registry.ts';
import { unknownKey } from './known-keys.ts';

const withRuntime = kinds.filter(({ spec }) => 'runtime' in spec.shape);
const refusal = (kind: Kind, runtime: object) =>
  resourceInput(kind).safeParse({ metadata: { name: 'a' }, spec: { runtime } }).error?.issues[0];

describe.each(withRuntime.map((kind) => [kind.kind, kind] as const))('the runtime of %s', (_, kind) => {
  test('refuses a mistyped key and names the one that was meant', () => {
    expect(refusal(kind, { generatoin: 'mk3' })).toMatchObject({
      path: ['spec', 'runtime'],
      message: 'Unknown key generatoin. Did you mean generation?',
    });
    expect(refusal(kind, { generation: 'mk3' })).toBeUndefined();
  });
});

test('a key like no other is answered with those that exist', () => {
  expect(unknownKey('memroy', ['memory', 'image'])).toBe('Unknown key memroy. Did you mean memory?');
  expect(unknownKey('MinScale', ['minScale', 'maxScale'])).toBe('Unknown key MinScale. Did you mean minScale?');
  expect(unknownKey('colour', ['memory', 'image'])).toBe('Unknown key colour. Known are: image, memory');
  expect(unknownKey('x'.repeat(100_000), ['memory']).length).toBeLessThan(200);
});
