// Environment of one execution: given as an object or as JSON text, kept as an object, answered as JSON text.
import { z } from 'zod';
import { LongText, mapOf } from './text.ts';

const variables = mapOf(LongText, { keys: 1000 });

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const EnvOverride = z
  .union([variables, z.string().max(1_048_576)])
  .transform((given) => (typeof given === 'string' ? parsed(given) : given))
  .pipe(z.record(z.string(), z.string(), 'an object of texts, or one as JSON text').pipe(variables));
