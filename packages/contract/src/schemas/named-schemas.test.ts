import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Direction } from './json-schema.ts';
import { NamedSchemas } from './named-schemas.ts';

const collect = (...uses: readonly (readonly [z.ZodType, Direction, string])[]) => {
  const named = new NamedSchemas();
  return named.finish(uses.map(([schema, direction, name]) => named.schema(schema, direction, name)));
};
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

describe('the schemas of a document', () => {
  test('an object without an id is named after its place, one of a list in the singular', () => {
    const entry = z.object({
      policies: z.array(z.object({ a: z.string() })),
      at: z.object({ b: z.string() }).nullable(),
    });
    const { document, schemas } = collect([z.object({ entry }), 'output', 'GetThingAnswer']);
    expect(document).toEqual([ref('GetThingAnswer')]);
    expect(Object.keys(schemas)).toEqual([
      'GetThingAnswer',
      'GetThingAnswerEntry',
      'GetThingAnswerEntryAt',
      'GetThingAnswerEntryPolicy',
    ]);
    expect(schemas.GetThingAnswerEntry?.properties).toMatchObject({
      policies: { type: 'array', items: ref('GetThingAnswerEntryPolicy') },
      at: { anyOf: [ref('GetThingAnswerEntryAt'), { type: 'null' }] },
    });
  });

  test('parts of a spec are named after its resource', () => {
    const spec = z.object({ runtime: z.object({ memory: z.int() }) }).meta({ id: 'ThingSpec' });
    expect(Object.keys(collect([z.object({ spec }).meta({ id: 'Thing' }), 'output', 'x']).schemas)).toEqual([
      'Thing',
      'ThingRuntime',
      'ThingSpec',
    ]);
  });

  test('an id that has another form in requests gets a second name, and so does what holds it', () => {
    const port = z.object({ kind: z.string().default('tcp') }).meta({ id: 'Port' });
    const same = z.object({ a: z.string() }).meta({ id: 'Same' });
    const list = z.object({ ports: z.array(port), same }).meta({ id: 'Ports' });
    const { document, schemas } = collect([list, 'input', 'x'], [list, 'output', 'y']);
    expect(document).toEqual([ref('PortsInput'), ref('Ports')]);
    expect(Object.keys(schemas)).toEqual(['Port', 'PortInput', 'Ports', 'PortsInput', 'Same']);
    expect(schemas.PortsInput?.properties).toMatchObject({ ports: { items: ref('PortInput') }, same: ref('Same') });
  });

  test('an object that is like one with an id has its name', () => {
    const shape = { a: z.string(), b: z.string() };
    const named = z.object(shape).meta({ id: 'Pair' });
    const { schemas } = collect([z.object({ named, other: z.object(shape) }), 'output', 'Both']);
    expect(schemas.Both?.properties).toEqual({ named: ref('Pair'), other: ref('Pair') });
  });

  test('two larger objects that are alike need an id', () => {
    const shape = { a: z.string(), b: z.string(), c: z.string() };
    const twins = z.object({ one: z.object(shape), other: z.object(shape) });
    expect(() => collect([twins, 'output', 'Twins'])).toThrow(
      'TwinsOne and TwinsOther are alike. Give the schema an id.',
    );
  });

  test('the forms of an alternative need ids, because a number is no name', () => {
    const forms = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(() => collect([z.object({ forms }), 'output', 'Thing'])).toThrow('The forms of ThingForms need ids.');
  });

  test('one name never stands for two schemas', () => {
    const first = z.object({ a: z.string() }).meta({ id: 'Same' });
    const second = z.object({ b: z.string() }).meta({ id: 'Same' });
    expect(() => collect([first, 'output', 'x'], [second, 'output', 'y'])).toThrow('Two schemas are named Same.');
  });

  test('what no operation uses is left out', () => {
    const named = new NamedSchemas();
    named.schema(z.object({ a: z.string() }), 'output', 'Unused');
    expect(named.finish([]).schemas).toEqual({});
  });
});
