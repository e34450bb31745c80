import { z } from 'zod';
import { objectInside } from './settings.ts';
import { isRecord, type Values } from './values.ts';

/** Turns an absent required section into an empty one, so that its missing keys are reported one by one. */
export function withRequiredSections(values: Values, schema: z.ZodObject): Values {
  const filled = Object.entries(schema.shape).flatMap(([key, node]) => {
    const value = values[key] ?? (node instanceof z.ZodObject ? {} : undefined);
    const inner = objectInside(node);
    return inner && isRecord(value) ? [[key, withRequiredSections(value, inner)]] : [];
  });
  return { ...values, ...Object.fromEntries(filled) };
}
