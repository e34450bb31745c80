// Converts zod schemas to JSON Schema as OpenAPI documents hold it.
import * as z from 'zod/mini';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Direction = 'input' | 'output';

/** Ids of schemas. */
export type SchemaNames = z.core.$ZodRegistry<{ id?: string | undefined }>;

export interface Converted {
  readonly root: JsonSchema;
  /** Schemas with an id that the root refers to as `#/$defs/<id>`. */
  readonly definitions: Readonly<Record<string, JsonSchema>>;
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const recordIn = (value: unknown): JsonSchema => (isRecord(value) ? value : {});

export function convert(
  schema: z.core.$ZodType,
  direction: Direction,
  names: SchemaNames = z.globalRegistry,
): Converted {
  // Wrapped as a property, where a schema with an id becomes a reference like any other.
  const { $defs, properties } = z.toJSONSchema(z.object({ root: schema }), {
    target: 'draft-2020-12',
    metadata: names,
    io: direction,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  });
  const definitions = Object.entries($defs ?? {}).map(([id, definition]) => [id, recordIn(definition)]);
  return { root: recordIn(properties?.root), definitions: Object.fromEntries(definitions) };
}

function tidy(schema: Record<string, unknown>): void {
  if ('queryType' in schema) asQueryType(schema);
  // Answers may gain fields: a client that refuses unknown fields would break on the next release.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.id;
}

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

/** Properties of an object schema, each with whether it is required. */
export function propertiesOf(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(recordIn(schema.properties)).map(([name, property]) => ({
    name,
    schema: recordIn(property),
    required: required.includes(name),
  }));
}
