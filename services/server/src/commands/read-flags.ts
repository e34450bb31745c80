import { parseArgs } from 'node:util';
import type { z } from 'zod';

/**
 * Reads `--some-flag value` by the schema's keys (`someFlag`); booleans take no value. The error names the wrong flag.
 */
export function readFlags<Schema extends z.ZodObject>(
  argv: readonly string[],
  schema: Schema,
  booleans: readonly string[] = [],
): z.output<Schema> {
  const keys = Object.keys(schema.shape);
  const type = (key: string) => (booleans.includes(key) ? ('boolean' as const) : ('string' as const));
  const options = Object.fromEntries(keys.map((key) => [flagOf(key), { type: type(key) }]));
  const { values } = parseArgs({ args: [...argv], options });
  const parsed = schema.safeParse(Object.fromEntries(keys.map((key) => [key, values[flagOf(key)]])));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = `--${flagOf(String(issue?.path[0] ?? ''))}`;
  const missing = values[flag.slice(2)] === undefined;
  throw new Error(missing ? `${flag} is missing. Give it with a value.` : `${flag}: ${issue?.message}. Correct it.`);
}

const flagOf = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
