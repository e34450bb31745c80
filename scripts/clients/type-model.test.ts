import { expect, test } from 'vitest';
import { declaredTypes, typeOf } from './type-model.ts';

test.each([
  [{ type: 'string' }, { is: 'text' }],
  [{ type: ['string', 'null'] }, { is: 'union', of: [{ is: 'text' }, { is: 'null' }] }],
  [
    { type: 'array', items: { $ref: '#/components/schemas/A' } },
    { is: 'list', of: { is: 'ref', name: 'A' } },
  ],
  [
    { type: 'object', additionalProperties: { type: 'integer' } },
    { is: 'map', of: { is: 'integer' } },
  ],
  [{ type: 'object' }, { is: 'map', of: { is: 'unknown' } }],
  [{ enum: ['a', 'b'] }, { is: 'literal', values: ['a', 'b'] }],
  [{ anyOf: [{ type: 'string' }, { type: 'string', maxLength: 2 }] }, { is: 'text' }],
  [{ type: 'string', allOf: [{ pattern: 'a' }, { pattern: 'b' }] }, { is: 'text' }],
  [{}, { is: 'unknown' }],
])('%j is understood', (schema, type) => {
  expect(typeOf(schema)).toEqual(type);
});

test.each([
  [{ not: { type: 'string' } }, 'cannot express "not"'],
  [{ allOf: [{ type: 'string' }] }, 'cannot express "allOf"'],
  [{ enum: [{}] }, 'cannot express the constant {}'],
  [{ type: 'object', properties: { a: {} } }, 'An object without a name'],
])('%j is refused instead of written wrong', (schema, message) => {
  expect(() => typeOf(schema)).toThrow(message);
});

test('what an answer holds is open to further values, also where it is nested', () => {
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const object = (properties: object) => ({ type: 'object', properties });
  const types = declaredTypes({
    paths: { '/a': { get: { responses: { 200: ref('Shown') }, requestBody: ref('Sent') } } },
    components: {
      schemas: { Shown: object({ inner: ref('Inner') }), Inner: object({ a: {} }), Sent: object({ b: {} }) },
    },
  });
  expect(types.map(({ name, isAnswered }) => [name, isAnswered])).toEqual([
    ['Shown', true],
    ['Inner', true],
    ['Sent', false],
  ]);
});
