import { expect, test } from 'vitest';
import { keepHidden } from './hidden-fields.ts';

const rules = (...routing: object[]) => ({ network: { proxy: { routing } } });
const stored = rules(
  { destinations: ['a.example'], secrets: { k: 'first' } },
  { destinations: ['b.example'], secrets: { k: 'second' } },
);

test('a proxy rule sent back without its secrets keeps them, and an empty map removes them', () => {
  expect(keepHidden(rules({ destinations: ['b.example'] }, { destinations: ['a.example'] }), stored)).toEqual(
    rules(
      { destinations: ['b.example'], secrets: { k: 'second' } },
      { destinations: ['a.example'], secrets: { k: 'first' } },
    ),
  );
  expect(keepHidden(rules({ destinations: ['a.example'], secrets: {} }), stored)).toEqual(
    rules({ destinations: ['a.example'], secrets: {} }),
  );
  expect(keepHidden(rules({ destinations: ['c.example'] }), stored)).toEqual(rules({ destinations: ['c.example'] }));
});
