// Makes values that a client might send from a zod schema: the input side of transforms and pipes, inside and at the
// bounds.
import { DomainName, Duration, ImageReference, RegionName, ResourceName, WorkspaceName } from '@berth/contract';
import fc, { type Arbitrary } from 'fast-check';
import type { z } from 'zod';

interface CheckDef {
  readonly check: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly value?: number;
}

/** Zod's internal definition of a schema, limited to the parts that the contract uses. */
interface Def extends Partial<CheckDef> {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: CheckDef } }[];
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly catchall?: z.ZodType;
  readonly element?: z.ZodType;
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly entries?: Readonly<Record<string, string>>;
  readonly values?: readonly unknown[];
  readonly in?: z.ZodType;
}

const defOf = (schema: z.ZodType): Def => schema._zod.def as unknown as Def;
const checksOf = (def: Def): readonly CheckDef[] => [
  ...(def.check === undefined ? [] : [def as CheckDef]),
  ...(def.checks ?? []).map(({ _zod }) => _zod.def),
];

/** Words that are valid somewhere, so that requests hit each other's resources and pass the rules of a kind. */
const words = [
  ...[
    'a',
    'b',
    'c',
    'd',
    'base-drive',
    'base-volume',
    'base-policy',
    'base-vpc',
    'base-job',
    'base-sandbox',
    'default',
  ],
  ...['fuzz-a', 'fuzz-b', 'local', 'auto', '1', '50', '200', '0', '5m', '30d', '/data', 'https://example.com/hook'],
  ...['owner/repository', '*/5 * * * *', 'registry.example.com/a/b:1', 'a.example.com', 'b.example.com', '***', 'true'],
  ...['http', 'DEPLOYED,DEPLOYING', '{"A":"b"}', '["owner/repository"]', 'openai', 'github', '2030-01-01T00:00:00Z'],
];

/** Schemas whose values are names. Few words each, so that a drawn name often exists. */
const names = new Map<z.ZodType, readonly string[]>([
  [ResourceName, ['a', 'b', 'c', 'd']],
  [WorkspaceName, ['fuzz-a', 'fuzz-b']],
  [RegionName, ['local']],
  [DomainName, ['a.example.com', 'b.example.com']],
  [ImageReference, ['registry.example.com/a/b:1', 'registry.example.com/a/b:2']],
  [Duration, ['5m', '30d']],
]);

const longest = 48;

function textOf(schema: z.ZodType): Arbitrary<string> {
  const def = defOf(schema);
  const checks = checksOf(def);
  const of = (name: string) => checks.filter(({ check }) => check === name);
  const min = Math.max(0, ...of('min_length').map(({ minimum = 0 }) => minimum));
  const max = Math.min(1e6, ...of('max_length').map(({ maximum = 1e6 }) => maximum));
  const formats = of('string_format');
  const patterns = formats.flatMap(({ pattern }) =>
    pattern === undefined ? [] : [new RegExp(pattern.source, pattern.flags)],
  );
  const fits = (text: string) =>
    text.length >= min && text.length <= max && patterns.every((pattern) => pattern.test(text));
  const known = names.get(schema) ?? words.filter(fits);
  const made = formats.some(({ format }) => format === 'email')
    ? fc.oneof(fc.constantFrom('base@example.com', 'c@example.com'), fc.emailAddress())
    : formats.some(({ format }) => format === 'datetime')
      ? fc
          .date({ noInvalidDate: true, min: new Date(0), max: new Date('2200-01-01') })
          .map((date) => date.toISOString())
      : (matching(patterns[0]) ??
        fc.string({ minLength: Math.min(min, longest), maxLength: Math.min(max, longest), unit: 'grapheme' }));
  const edges = max <= 5000 && patterns.length === 0 ? ['x'.repeat(max), 'x'.repeat(max + 1)] : [''];
  return fc.oneof(
    ...(known.length === 0 ? [] : [{ weight: 12, arbitrary: fc.constantFrom(...known) }]),
    { weight: 5, arbitrary: made },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  );
}

function matching(pattern: RegExp | undefined): Arbitrary<string> | undefined {
  if (pattern === undefined) return undefined;
  try {
    return fc.stringMatching(pattern, { size: '-1' });
  } catch {
    return undefined;
  }
}

function numberOf(def: Def): Arbitrary<number> {
  const checks = checksOf(def);
  const bound = (name: string, fallback: number) =>
    checks.find(({ check, value }) => check === name && value !== undefined)?.value ?? fallback;
  const min = Math.ceil(bound('greater_than', -1000));
  const max = Math.floor(bound('less_than', 2_147_483_647));
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 5000) }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
  );
}

function objectOf({ shape = {}, catchall }: Def): Arbitrary<unknown> {
  const entries = Object.entries(shape);
  const required = entries.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name);
  const all = fc.record(Object.fromEntries(entries.map(([name, field]) => [name, arbitraryOf(field)])), {
    requiredKeys: required,
  });
  // Drops half of the optional fields: the more fields a body has, the more likely some rule refuses it.
  const fields = fc.tuple(all, fc.nat()).map(([values, mask]) => {
    const kept = Object.entries(values).filter(
      ([name], at) => required.includes(name) || (mask >> (at % 30)) % 2 === 0,
    );
    return Object.fromEntries(kept);
  });
  if (catchall === undefined) return fields;
  return fc
    .tuple(fields, fc.dictionary(fc.constantFrom('extra', 'x-own'), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 1 }))
    .map(([known, extra]) => ({ ...known, ...extra }));
}

const made = new WeakMap<z.ZodType, Arbitrary<unknown>>();

export function arbitraryOf(schema: z.ZodType): Arbitrary<unknown> {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const arbitrary = make(schema);
  made.set(schema, arbitrary);
  return arbitrary;
}

function make(schema: z.ZodType): Arbitrary<unknown> {
  const def = defOf(schema);
  const inner = () => arbitraryOf(present(def.innerType));
  switch (def.type) {
    case 'string':
      return textOf(schema);
    case 'number':
      return numberOf(def);
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries ?? {}));
    case 'literal':
      return fc.constantFrom(...(def.values ?? []));
    case 'object':
      return objectOf(def);
    case 'array':
      return fc.array(arbitraryOf(present(def.element)), { maxLength: 4, depthIdentifier: 'schema' });
    case 'record':
      return fc.dictionary(textOf(present(def.keyType)), arbitraryOf(present(def.valueType)), { maxKeys: 4 });
    case 'union':
      return fc.oneof(...(def.options ?? []).map(arbitraryOf));
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return inner();
    case 'nullable':
      return fc.oneof({ weight: 4, arbitrary: inner() }, { weight: 1, arbitrary: fc.constant(null) });
    case 'pipe':
      return arbitraryOf(present(def.in));
    case 'unknown':
    case 'any':
      return fc.jsonValue({ maxDepth: 2 });
    case 'undefined':
      return fc.constant(undefined);
    default:
      throw new Error(`the fuzzer does not know schemas of type ${def.type}`);
  }
}

function present(schema: z.ZodType | undefined): z.ZodType {
  if (schema === undefined) throw new Error('a schema lacks the part it is made of');
  return schema;
}
