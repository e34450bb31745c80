// Types of an OpenAPI document in a form that no language owns. Every object of our documents has a name, so a type is a short
// expression over names.
import { isDeepStrictEqual } from 'node:util';

export type Type =
  | { readonly is: 'text' | 'integer' | 'number' | 'boolean' | 'null' | 'unknown' | 'bytes' }
  | { readonly is: 'literal'; readonly values: readonly (string | number | boolean)[] }
  | { readonly is: 'list' | 'map'; readonly of: Type }
  | { readonly is: 'ref'; readonly name: string }
  | { readonly is: 'union'; readonly of: readonly Type[] };

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly isRequired: boolean;
  /** Set by the service. */
  readonly isReadOnly: boolean;
  readonly description: string | undefined;
}

/** A named object, or another name for a type. */
export interface Declared {
  readonly name: string;
  readonly description: string | undefined;
  /** Undefined for a type that is no object with known fields. */
  readonly fields: readonly Field[] | undefined;
  readonly type: Type;
  /** Part of an answer: a later service may answer with further values. */
  readonly isAnswered: boolean;
}

export type Schema = Readonly<Record<string, unknown>>;

const prefix = '#/components/schemas/';

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const recordIn = (value: unknown): Schema => (isRecord(value) ? value : {});
const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const basic = { string: 'text', integer: 'integer', number: 'number', boolean: 'boolean', null: 'null' } as const;
const unsupported = ['not', 'if', 'prefixItems', 'patternProperties'];
/** Only narrows what is said beside it. */
const isRule = (schema: unknown): boolean => Object.keys(recordIn(schema)).every((keyword) => keyword === 'pattern');

/** Throws on what the writers would get wrong in silence. */
export function typeOf(schema: unknown): Type {
  if (!isRecord(schema)) return { is: 'unknown' };
  const { $ref, type, anyOf, oneOf, items, additionalProperties, format } = schema;
  const { allOf = [] } = schema;
  const isPlain = Array.isArray(allOf) && allOf.every(isRule);
  const foreign = isPlain ? unsupported.find((keyword) => keyword in schema) : 'allOf';
  if (foreign !== undefined) throw new Error(`Clients cannot express "${foreign}": ${JSON.stringify(schema)}`);
  if (typeof $ref === 'string') return { is: 'ref', name: $ref.replace(prefix, '') };
  if ('const' in schema) return literal([schema.const]);
  if (Array.isArray(schema.enum)) return literal(schema.enum);
  const forms = anyOf ?? oneOf;
  if (Array.isArray(forms)) return unionOf(forms.map(typeOf));
  if (Array.isArray(type)) return unionOf(type.map((each) => typeOf({ ...schema, type: each })));
  if (type === 'array') return { is: 'list', of: typeOf(items) };
  if (type === 'string' && format === 'binary') return { is: 'bytes' };
  if (type === 'object') {
    if (Object.keys(recordIn(schema.properties)).length > 0)
      throw new Error(`An object without a name: ${JSON.stringify(schema)}`);
    return { is: 'map', of: typeOf(additionalProperties) };
  }
  const known = Object.entries(basic).find(([name]) => name === type);
  return { is: known?.[1] ?? 'unknown' };
}

function literal(values: readonly unknown[]): Type {
  const kept = values.filter((value) => value !== null).map(literalValue);
  const type: Type = { is: 'literal', values: kept };
  return kept.length === values.length ? type : unionOf([type, { is: 'null' }]);
}

function literalValue(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  throw new Error(`Clients cannot express the constant ${JSON.stringify(value)}.`);
}

function unionOf(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (type.is === 'union' ? type.of : [type]));
  const different = flat.filter((type, at) => flat.findIndex((other) => isDeepStrictEqual(other, type)) === at);
  const [only, ...more] = different;
  return only !== undefined && more.length === 0 ? only : { is: 'union', of: different };
}

/** The components of a document, sorted by name. */
export function declaredTypes(document: {
  readonly paths: unknown;
  readonly components: Readonly<Record<string, unknown>>;
}): Declared[] {
  const schemas = recordIn(document.components.schemas);
  const answered = reachable(schemas, responsesIn(document));
  return Object.entries(schemas).map(([name, schema]) => declare(name, recordIn(schema), answered.has(name)));
}

function declare(name: string, schema: Schema, isAnswered: boolean): Declared {
  const description = textIn(schema.description);
  const properties = Object.entries(recordIn(schema.properties));
  if (properties.length === 0) return { name, description, fields: undefined, type: typeOf(schema), isAnswered };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([field, value]) => {
    const inner = recordIn(value);
    return {
      name: field,
      type: typeOf(inner),
      isRequired: required.includes(field),
      isReadOnly: inner.readOnly === true,
      description: textIn(inner.description),
    };
  });
  return { name, description, fields, type: { is: 'ref', name }, isAnswered };
}

function responsesIn({ paths, components }: { paths: unknown; components: Readonly<Record<string, unknown>> }) {
  const operations = Object.values(recordIn(paths)).flatMap((item) => Object.values(recordIn(item)));
  return [...operations.map((operation) => recordIn(operation).responses), components.responses];
}

function reachable(schemas: Schema, from: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      if (found.has(name)) continue;
      found.add(name);
      look(schemas[name]);
    }
  };
  look(from);
  return found;
}

function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  const own = typeof value.$ref === 'string' && value.$ref.startsWith(prefix) ? [value.$ref.replace(prefix, '')] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}
