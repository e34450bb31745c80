// Body of a request: a body that its schema accepts, a body with a few mutations, or bytes that are hardly JSON.
import type { Operation } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { z } from 'zod';
import { arbitraryOf } from './arbitrary-of.ts';
import { mutate, mutation, nonsense } from './nonsense.ts';
import { often, type Part } from './setting.ts';

export interface Sent {
  readonly bytes: Buffer | undefined;
  readonly type: string | undefined;
}

const type = 'application/json';
const none: Sent = { bytes: undefined, type: undefined };
const asJson = (value: unknown): Sent => {
  const text = JSON.stringify(value);
  return text === undefined ? none : { bytes: Buffer.from(text), type };
};

/** Removes the values that the schema refuses, so that rules between fields do not fail every body at validation. */
function repaired(schema: z.ZodType, drawn: unknown): unknown {
  const value = structuredClone(drawn);
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return value;
    for (const { path } of parsed.error.issues) removeAt(value, path);
  }
  return value;
}

/** Removes the value at `path`. If the issue is about a missing value, its parent is removed instead. */
function removeAt(root: unknown, path: readonly PropertyKey[]): void {
  const [last] = path.slice(-1);
  if (last === undefined) return;
  const holder = path.slice(0, -1).reduce<unknown>((node, step) => child(node, step), root);
  if (Array.isArray(holder)) holder.splice(Number(last), 1);
  else if (isRecord(holder) && Object.hasOwn(holder, last)) delete holder[String(last)];
  else removeAt(root, path.slice(0, -1));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const child = (node: unknown, step: PropertyKey): unknown => (isRecord(node) ? node[String(step)] : undefined);

const contentTypes = [
  ...['text/plain', 'application/xml', 'multipart/form-data', 'multipart/form-data; boundary=x', 'APPLICATION/JSON'],
  ...['application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'application/json;;', 'json', ''],
];

const brokenTexts = [
  ...['', ' ', '{', '}', '[', 'nul', 'NaN', '{"a":}', "{'a':1}", '{"a":1,}', '\ufeff{}', '1e99999', '"\\ud800"'],
  ...['{"a":"\\u0000"}', '{"metadata":{"name":"a"},"metadata":[],"spec":{}}', '{"__proto__":{"x":1},"spec":{}}'],
  ...['{"spec":{"__proto__":null}}', '{"constructor":{"prototype":{"x":1}}}', '{"a":1}{"b":2}', '['.repeat(20_000)],
  ...[`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 'null', 'true', '0', '"text"', '[]', '{}'],
];

function oddOf(valid: Arbitrary<unknown>): Arbitrary<Sent> {
  const whole = valid.map((value) => Buffer.from(JSON.stringify(value) ?? '{}'));
  return fc.oneof(
    { weight: 5, arbitrary: nonsense.map(asJson) },
    { weight: 5, arbitrary: fc.constantFrom(...brokenTexts).map((text): Sent => ({ bytes: Buffer.from(text), type })) },
    { weight: 2, arbitrary: fc.record({ bytes: whole, type: fc.constantFrom(...contentTypes) }) },
    { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }).map((raw): Sent => ({ bytes: Buffer.from(raw), type })) },
    { weight: 1, arbitrary: fc.constant<Sent>({ bytes: undefined, type }) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(whole, fc.nat())
        .map(([bytes, cut]): Sent => ({ bytes: bytes.subarray(0, cut % (bytes.length + 1)), type })),
    },
  );
}

export function bodyOf({ body: schema, method }: Operation): Part<Sent> {
  if (schema === undefined) {
    const usual = fc.constant(none);
    return { usual, bent: often(usual, 4, oddOf(fc.constant({}))) };
  }
  const drawn = arbitraryOf(schema);
  const valid = drawn.map((value) => withoutName(method, repaired(schema, value)));
  const mutated = fc
    .tuple(valid, fc.array(mutation, { minLength: 1, maxLength: 3 }))
    .map(([value, mutations]) => asJson(mutate(value, mutations)));
  return {
    usual: valid.map(asJson),
    bent: fc.oneof(
      { weight: 3, arbitrary: drawn.map(asJson) },
      { weight: 9, arbitrary: mutated },
      { weight: 3, arbitrary: oddOf(valid) },
    ),
  };
}

/** A PUT has the name in its address; a different name in the body is refused before anything else is checked. */
function withoutName(method: string, value: unknown): unknown {
  const metadata = child(value, 'metadata');
  if (method === 'PUT' && isRecord(metadata)) delete metadata.name;
  return value;
}
