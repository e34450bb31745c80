// A setting is one node of the schema: its path in the file, and the variable that overrides it.
import { z } from 'zod';

export type Setting = { path: readonly string[]; variable: string; schema: z.core.$ZodType };

class SettingNameConflict extends Error {}

/** Every node below the root, parents before children: a child's variable overrides its parent's. */
export function listSettings(schema: z.ZodObject, prefix: string): Setting[] {
  const settings = walk(schema, []).map(({ path, node }) => ({ path, schema: node, variable: nameOf(prefix, path) }));
  const seen = new Map<string, Setting>();
  for (const setting of settings) {
    const other = seen.get(setting.variable);
    if (other) {
      throw new SettingNameConflict(`${setting.path.join('.')} and ${other.path.join('.')} share ${setting.variable}.`);
    }
    seen.set(setting.variable, setting);
  }
  return settings;
}

type Node = { path: readonly string[]; node: z.core.$ZodType };

function walk(schema: z.ZodObject, path: readonly string[]): Node[] {
  return Object.entries(schema.shape).flatMap(([key, node]) => {
    const here = { path: [...path, key], node };
    const inner = objectInside(node);
    return inner ? [here, ...walk(inner, here.path)] : [here];
  });
}

/** The object inside optional, default and similar wrappers; undefined when the node is not a plain object. */
export function objectInside(schema: z.core.$ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  ) {
    return objectInside(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? objectInside(schema.in) : undefined;
}

function nameOf(prefix: string, path: readonly string[]): string {
  const words = path.map((key) => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/-/g, '_'));
  return [prefix, ...words].join('_').toUpperCase();
}
