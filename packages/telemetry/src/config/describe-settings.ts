// Lists the settings of an operator, read from the schema itself: path, variable, default and reason.
import { z } from 'zod';
import { listSettings, objectInside } from './settings.ts';

export type SettingDescription = {
  readonly path: string;
  readonly variable: string;
  /** Default value; undefined when the setting is required or may stay unset. */
  readonly fallback: string | undefined;
  readonly required: boolean;
  readonly reason: string;
};

/** Leaf settings only: a section is described by its settings. */
export function describeSettings(schema: z.ZodObject, prefix = 'BERTH'): SettingDescription[] {
  return listSettings(schema, prefix)
    .filter((setting) => objectInside(setting.schema) === undefined)
    .map(({ path, variable, schema: node }) => ({
      path: path.join('.'),
      variable,
      fallback: fallbackOf(node),
      required: !z.safeParse(node, undefined).success,
      reason: reasonOf(node),
    }));
}

function fallbackOf(node: z.core.$ZodType): string | undefined {
  if (node instanceof z.ZodDefault || node instanceof z.ZodPrefault) return JSON.stringify(node.def.defaultValue);
  return node instanceof z.ZodOptional ? fallbackOf(node.unwrap()) : undefined;
}

/** The description may be on a wrapper, such as a default, or on the node inside it. */
function reasonOf(node: z.core.$ZodType): string {
  const own = z.globalRegistry.get(node)?.description;
  if (own !== undefined) return own;
  const wraps = node instanceof z.ZodDefault || node instanceof z.ZodPrefault || node instanceof z.ZodOptional;
  return wraps ? reasonOf(node.unwrap()) : '';
}
