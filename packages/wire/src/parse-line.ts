import type { z } from 'zod';

/**
 * Undefined for anything that does not match the schema. Strangers may connect, so no error
 * explains the protocol to them.
 */
export function parseLine<Value>(line: string | undefined, schema: z.ZodType<Value>): Value | undefined {
  if (line === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
