// Values that no client should send.
import fc, { type Arbitrary } from 'fast-check';

const deep = (levels: number): unknown => {
  let value: unknown = 'deep';
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { value };
  return value;
};

const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udfffx',
  '\u202e\u200b\ufeff',
  '💥'.repeat(20),
  'é'.normalize('NFD'),
  'İıſK',
  "'; drop table resources; --",
  '%00%ff%zz',
  '../../etc/passwd',
  '{{7*7}}',
  '\r\nX-Injected: 1',
  'null',
  'NaN',
  '-1',
  '__proto__',
  'constructor',
  'toString',
  '$sealed',
  '9'.repeat(400),
  'A'.repeat(5_000),
  'A'.repeat(300_000),
];

export const hostileText: Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  // Halves of surrogate pairs among ordinary letters.
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
      .map((units) => String.fromCharCode(...units)),
  },
);

export const nonsense: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 4,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      -1,
      0,
      -0,
      0.5,
      1e308,
      -1e308,
      1e-7,
      2 ** 31,
      2 ** 53,
      2 ** 63,
      [],
      {},
      [[]],
      [null],
      { '': '' },
      { $sealed: 'v1.AAAA' },
      { length: 1e9 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 60, 63, 64, 65, 200, 2000).map(deep) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constant('a'), { minLength: 2, maxLength: 2 })
      .map(([one = '']) => Array.from({ length: 1001 }, () => one)),
  },
);

export interface Mutation {
  readonly pick: number;
  readonly how: 'replace' | 'remove' | 'add' | 'double';
  readonly by: unknown;
  readonly key: string;
}

export const mutation: Arbitrary<Mutation> = fc.record({
  pick: fc.nat(),
  how: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'double'),
  by: nonsense,
  key: fc.oneof(fc.constantFrom('name', 'spec', 'metadata', 'constructor', 'labels', ''), hostileText),
});

type Holder = unknown[] | Record<string, unknown>;
const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;

/** Every place inside a value: the object or array that holds it, and its key. */
function places(value: unknown, found: [Holder, string][] = []): [Holder, string][] {
  if (!isHolder(value)) return found;
  for (const key of Object.keys(value)) {
    found.push([value, key]);
    if (found.length < 500) places((value as Record<string, unknown>)[key], found);
  }
  return found;
}

export function mutate(value: unknown, mutations: readonly Mutation[]): unknown {
  const root = { value: structuredClone(value) };
  for (const { pick, how, by: shared, key } of mutations) {
    // A copy: a later mutation may change this value, and the original is used again.
    const by = structuredClone(shared);
    const all = places(root);
    const [holder, at] = all[pick % all.length] ?? [root, 'value'];
    const inside = holder as Record<string, unknown>;
    const current = inside[at];
    if (how === 'replace') inside[at] = by;
    else if (how === 'remove' && !Array.isArray(holder)) delete inside[at];
    else if (how === 'add' && isHolder(current) && !Array.isArray(current)) define(current, key, by);
    else if (how === 'double' && Array.isArray(current)) current.push(...current.slice(0, 100));
  }
  return root.value;
}

/** Adds a key. Assigning `__proto__` would change the prototype instead of adding a key. */
const define = (holder: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
};
