// Paths of all fields of a schema that take a value: keys joined by dots, `[]` for the elements of a list, `{}` for the
// values of a map.
import { z } from 'zod';

/** A union is one value: its branches are forms of the same field. */
export function fieldPaths(schema: unknown, path = ''): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return fieldPaths(schema.unwrap(), path);
  if (schema instanceof z.ZodArray) return fieldPaths(schema.element, `${path}[]`);
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([key, value]) =>
      fieldPaths(value, path === '' ? key : `${path}.${key}`),
    );
  if (schema instanceof z.ZodRecord) return fieldPaths(schema.valueType, `${path}{}`);
  return [path];
}
