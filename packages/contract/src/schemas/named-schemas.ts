// Collects the schemas of an OpenAPI document, so that every object in it has a name: its id, or its place in an object that has
// a name. Clients in other languages need a type for each.
import type { $ZodType } from 'zod/v4/core';
import { convert, type Direction, isRecord, type JsonSchema, recordIn, type SchemaNames } from './json-schema.ts';

interface Named {
  readonly name: string;
  readonly direction: Direction;
  /** False for a name that was made from the place. */
  readonly hasId: boolean;
  readonly schema: JsonSchema;
}

/** Smaller objects may be alike by accident. */
const leastPropertiesToShare = 2;
const leastPropertiesToRefuse = 3;

const place = (direction: Direction, name: string): string => `#/${direction}/${name}`;
const component = (name: string): string => `#/components/schemas/${name}`;

/** One collection for each document. References are provisional until `finish`. */
export class NamedSchemas {
  readonly #found = new Map<string, Named>();
  readonly #ids: SchemaNames | undefined;

  /** Ids are those of the schemas themselves, or of a registry. */
  constructor(ids?: SchemaNames) {
    this.#ids = ids;
  }

  /** The schema as it is used in the document. `name` is for an object without an id. */
  schema(schema: $ZodType, direction: Direction, name: string): JsonSchema {
    const { root, definitions } = convert(schema, direction, this.#ids);
    for (const [id, definition] of Object.entries(definitions))
      this.#add({ name: id, direction, hasId: true, schema: this.#parts(definition, id, direction) });
    return this.#use(root, name, direction);
  }

  /** Gives the document its final names, and returns them with their schemas. */
  finish<Document>(document: Document): { document: Document; schemas: Record<string, JsonSchema> } {
    const names = this.#finalNames();
    const schemas = new Map<string, JsonSchema>();
    const wanted = referencesIn(document);
    for (const reference of wanted) {
      const name = names.get(reference) ?? reference;
      if (schemas.has(name)) continue;
      const { schema } = this.#get(reference);
      schemas.set(name, recordIn(rename(schema, names)));
      wanted.push(...referencesIn(schema));
    }
    refuseTwins(schemas);
    const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    return { document: rename(document, names), schemas: Object.fromEntries(sorted) };
  }

  #get(reference: string): Named {
    const found = this.#found.get(reference);
    if (found === undefined) throw new Error(`There is no schema ${reference}.`);
    return found;
  }

  #add(named: Named): void {
    const at = place(named.direction, named.name);
    const known = this.#found.get(at);
    if (known !== undefined && JSON.stringify(known.schema) !== JSON.stringify(named.schema))
      throw new Error(`Two schemas are named ${named.name}. Give one of them an id of its own.`);
    this.#found.set(at, named);
  }

  #use(schema: JsonSchema, name: string, direction: Direction): JsonSchema {
    if (typeof schema.$ref === 'string')
      return { ...schema, $ref: place(direction, schema.$ref.replace('#/$defs/', '')) };
    const parts = this.#parts(schema, name, direction);
    if (!isObject(schema)) return parts;
    const { readOnly, ...described } = parts;
    this.#add({ name, direction, hasId: false, schema: described });
    return { $ref: place(direction, name), ...(readOnly === undefined ? {} : { readOnly }) };
  }

  /** The schema with references in the place of its objects. */
  #parts(schema: JsonSchema, name: string, direction: Direction): JsonSchema {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(isRecord(properties) && {
        properties: mapRecord(properties, (inner, key) =>
          this.#use(recordIn(inner), name.replace(/Spec$/, '') + titled(key), direction),
        ),
      }),
      ...(isRecord(items) && { items: this.#use(items, singular(name), direction) }),
      ...(isRecord(additionalProperties) && {
        additionalProperties: this.#use(additionalProperties, singular(name), direction),
      }),
      ...(Array.isArray(anyOf) && { anyOf: this.#alternatives(anyOf.map(recordIn), name, direction) }),
    };
  }

  #alternatives(schemas: readonly JsonSchema[], name: string, direction: Direction): JsonSchema[] {
    if (schemas.filter(isObject).length > 1) throw new Error(`The forms of ${name} need ids.`);
    return schemas.map((schema) => this.#use(schema, name, direction));
  }

  /** Final name of each schema, by its provisional reference. */
  #finalNames(): Map<string, string> {
    const shapes = new Map([...this.#found].map(([at, { schema }]) => [at, this.#shape(schema)]));
    const names = new Map<string, string>();
    for (const [at, { name, direction }] of this.#found) {
      const answered = direction === 'input' ? shapes.get(place('output', name)) : undefined;
      names.set(at, answered === undefined || answered === shapes.get(at) ? name : `${name}Input`);
    }
    const shared = new Map<string | undefined, string>();
    for (const [at, { hasId, name }] of this.#found) if (hasId) shared.set(shapes.get(at), names.get(at) ?? name);
    for (const [at, { hasId, schema }] of this.#found) {
      const known = shared.get(shapes.get(at));
      const isSmall = Object.keys(recordIn(schema.properties)).length < leastPropertiesToShare;
      if (!hasId && known !== undefined && !isSmall) names.set(at, known);
    }
    return names;
  }

  /** The schema as text, with all that it refers to. */
  #shape(schema: unknown): string {
    return JSON.stringify(schema, (key, value: unknown) =>
      key === '' || !isRecord(value) || typeof value.$ref !== 'string' ? value : this.#shapeOf(value),
    );
  }

  #shapeOf({ $ref, ...beside }: Record<string, unknown>): unknown {
    return { ...beside, shape: this.#shape(this.#get(String($ref)).schema) };
  }
}

function refuseTwins(schemas: ReadonlyMap<string, JsonSchema>): void {
  const names = new Map<string, string>();
  for (const [name, schema] of schemas) {
    const shape = JSON.stringify(schema);
    const twin = names.get(shape);
    if (twin !== undefined && Object.keys(recordIn(schema.properties)).length >= leastPropertiesToRefuse)
      throw new Error(`${twin} and ${name} are alike. Give the schema an id.`);
    names.set(shape, name);
  }
}

const isObject = (schema: JsonSchema): boolean =>
  schema.type === 'object' && Object.keys(recordIn(schema.properties)).length > 0;

const mapRecord = (
  record: Readonly<Record<string, unknown>>,
  change: (value: unknown, key: string) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

function rename<Value>(value: Value, names: ReadonlyMap<string, string>): Value;
function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => rename(each, names));
  if (!isRecord(value)) return value;
  return mapRecord(value, (inner, key) => {
    const name = key === '$ref' && typeof inner === 'string' ? names.get(inner) : undefined;
    return name === undefined ? rename(inner, names) : component(name);
  });
}

/** Provisional references, in the order of their first use. */
function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  const { $ref } = value;
  const own = typeof $ref === 'string' && /^#\/(input|output)\//.test($ref) ? [$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** `previewUrl` and `avatar_url` as the beginning of a name. */
export const titled = (key: string): string =>
  key.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '');

/** Name of one element of a list or map. */
function singular(name: string): string {
  if (/ies$/.test(name)) return name.replace(/ies$/, 'y');
  if (/(ch|sh|x|ss)es$/.test(name)) return name.replace(/es$/, '');
  return /[^s]s$/.test(name) ? name.slice(0, -1) : `${name}Item`;
}
