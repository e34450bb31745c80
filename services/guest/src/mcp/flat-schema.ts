// Many clients convert tool schemas with a converter that knows five keywords and loses the rest. So our schemas use no
// others: a value that may be null has a list of types instead of alternatives, and further rules (ranges, unknown
// arguments) are checked here and stated in the descriptions.
import * as z from 'zod/mini';

type FlatSchema = {
  type: string | string[];
  description?: string;
  properties?: Record<string, FlatSchema>;
  required?: string[];
  items?: FlatSchema;
};

export type FlatObject = FlatSchema & { type: 'object' };

type JsonSchema = z.core.JSONSchema.JSONSchema;

export function flatSchema(schema: z.ZodMiniType): FlatObject {
  const flat = flatten(z.toJSONSchema(schema));
  if (flat.type !== 'object') throw new Error('Arguments and answers of a tool are objects.');
  return { ...flat, type: 'object' };
}

function flatten(schema: JsonSchema): FlatSchema {
  const alternatives = schema.anyOf ?? [];
  const value = alternatives.find((alternative) => asObject(alternative).type !== 'null');
  if (value !== undefined) {
    const flat = flatten(asObject(value));
    const description = schema.description ?? flat.description;
    return { ...flat, type: [flat.type, 'null'].flat(), ...(description === undefined ? {} : { description }) };
  }
  if (schema.type === undefined) throw new Error('A value of a tool has one type, and perhaps null.');
  return {
    type: schema.type,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...(schema.properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([name, property]) => [name, flatten(asObject(property))]),
          ),
        }),
    ...(schema.required === undefined ? {} : { required: schema.required }),
    ...(schema.items === undefined ? {} : { items: flatten(asObject(firstOf(schema.items))) }),
  };
}

const asObject = (schema: JsonSchema | boolean): JsonSchema => (typeof schema === 'boolean' ? {} : schema);

const firstOf = <T>(value: T | T[]): T | boolean => (Array.isArray(value) ? (value[0] ?? true) : value);
