import { findProvider, type ModelListing, providers } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readModels } from './read-models.ts';

const key = 'sk-0123456789';

function listingOf(name: string): ModelListing {
  const listing = findProvider(name)?.listing;
  if (listing === undefined) throw new Error(`${name} has no list`);
  return listing;
}

test.each([
  [
    'openai',
    { object: 'list', data: [{ id: 'gpt-small', object: 'model', created: 1_686_935_002, owned_by: 'openai' }] },
    { id: 'gpt-small', name: 'gpt-small', author: 'openai', created_at: '2023-06-16T17:03:22.000Z' },
  ],
  [
    'anthropic',
    { data: [{ type: 'model', id: 'c-4', display_name: 'C 4', created_at: '2025-02-19T00:00:00Z' }], has_more: false },
    { id: 'c-4', name: 'C 4', created_at: '2025-02-19T00:00:00.000Z' },
  ],
  ['gemini', { models: [{ name: 'models/g-pro', displayName: 'G Pro' }] }, { id: 'g-pro', name: 'G Pro' }],
  ['cohere', { models: [{ name: 'command', endpoints: ['chat'] }] }, { id: 'command', name: 'command' }],
  ['mistral', { data: [{ id: 'm', name: null, created: 0, owned_by: 'mistralai' }] }, { id: 'm', author: 'mistralai' }],
])('a model is read as %s lists it', (name, answer, expected) => {
  expect(readModels(listingOf(name), JSON.stringify(answer), key)).toEqual([expect.objectContaining(expected)]);
});

test('items without an id are left out', () => {
  const data = [{}, null, 7, 'text', [], { id: '' }, { id: 7 }, { id: 'one' }];
  expect(readModels(listingOf('openai'), JSON.stringify({ data }), key)?.map(({ id }) => id)).toEqual(['one']);
});

test.each(['', 'nothing', '<html>', '[]', '{}', 'null', '{"data":{}}', '{"data":'])('%j is no list', (text) => {
  expect(readModels(listingOf('openai'), text, key)).toBeUndefined();
});

test('the key is in no text that a provider sends back; a short word is left in names', () => {
  const answer = JSON.stringify({ data: [{ id: `m ${key}`, owned_by: `Bearer ${key}` }, { id: 'grok-x' }] });
  const read = readModels(listingOf('openai'), answer, key);
  expect(read?.map(({ id, author }) => [id, author])).toEqual([
    ['m ***', 'Bearer ***'],
    ['grok-x', undefined],
  ]);
  expect(readModels(listingOf('openai'), answer, 'x')?.at(1)?.id).toBe('grok-x');
});

test('whatever a provider answers, reading it does not throw', () => {
  const listings = providers.flatMap(({ listing }) => listing ?? []);
  const field = fc.oneof(fc.constantFrom('data', 'models', 'id', 'name', 'created', 'created_at'), fc.string());
  const value = fc.oneof(fc.string(), fc.double(), fc.boolean(), fc.constant(null));
  const item = fc.dictionary(field, value);
  const answer = fc.oneof(fc.dictionary(field, fc.array(fc.oneof(item, value))), fc.array(item), value);
  fc.assert(
    fc.property(
      fc.constantFrom(...listings),
      fc.oneof(
        answer.map((each) => JSON.stringify(each)),
        fc.string(),
      ),
      (listing, text) => {
        for (const { id, created_at } of readModels(listing, text, key) ?? [])
          expect([typeof id, Number.isNaN(Date.parse(created_at ?? '2000'))]).toEqual(['string', false]);
      },
    ),
  );
});
