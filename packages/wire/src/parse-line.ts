import type { z } from 'zod';

/** Undefined for whatever is not what was asked for: strangers may connect, and get no lesson in the protocol. */
export function parseLine<Value>(line: string | undefined, schema: z.ZodType<Value>): Value | undefined {
  if (line === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
