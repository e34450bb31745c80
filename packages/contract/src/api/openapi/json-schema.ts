// Converts the contract's zod schemas to JSON Schema, with everything that has an id moved to the document's
// components.
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Direction = 'input' | 'output';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const component = (reference: string): string => reference.replace('#/$defs/', '#/components/schemas/');

/** Describes query text by the type that it stands for. */
function asQueryType(schema: Record<string, unknown>): void {
  const { queryType, minimum, description } = schema;
  for (const key of Object.keys(schema)) delete schema[key];
  Object.assign(
    schema,
    { type: queryType },
    minimum === undefined ? {} : { minimum },
    description === undefined ? {} : { description },
  );
}

function tidy(schema: Record<string, unknown>): void {
  if ('queryType' in schema) asQueryType(schema);
  // Answers may gain fields: a client that refuses unknown fields would break on the next release.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.id;
}

function relocate(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relocate);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? component(inner) : relocate(inner),
    ]),
  );
}

const schemaIn = (value: unknown): JsonSchema => (isRecord(value) ? value : {});

/** Collects components while schemas are converted; one collection per document. */
export class SchemaCollection {
  readonly #components = new Map<string, JsonSchema>();

  /** The schema as used in the document: a reference when it has an id. */
  schema(schema: z.ZodType, direction: Direction): JsonSchema {
    // Wrapped as a property, where a schema with an id becomes a reference like any other.
    const { $defs, properties } = z.toJSONSchema(z.object({ root: schema }), {
      target: 'draft-2020-12',
      io: direction,
      override: ({ jsonSchema }) => tidy(jsonSchema),
    });
    for (const [name, definition] of Object.entries($defs ?? {})) this.#add(name, schemaIn(relocate(definition)));
    return schemaIn(relocate(properties?.root));
  }

  #add(name: string, definition: JsonSchema): void {
    const known = this.#components.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two schemas are named ${name}; an input and an answer need names of their own`);
    }
    this.#components.set(name, definition);
  }

  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Properties of an object schema, each with whether it is required. */
export function propertiesOf(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schemaIn(schema.properties)).map(([name, property]) => ({
    name,
    schema: schemaIn(property),
    required: required.includes(name),
  }));
}
