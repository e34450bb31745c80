import type { z } from 'zod';

/** Undefined for whatever is not that. */
export function parseLine<Shape extends z.ZodType>(line: string | undefined, shape: Shape): z.infer<Shape> | undefined {
  if (line === undefined) return undefined;
  try {
    return shape.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
