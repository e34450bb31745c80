// Stored environment of an instance: secret values stay sealed until they are sent to the runner.
import { z } from 'zod';
import { unseal } from './seal.ts';

export const SealedEnv = z.array(
  z.union([
    z.object({ name: z.string(), value: z.string() }),
    /** `context` is the text that the value was sealed for. */
    z.object({ name: z.string(), sealed: z.string(), context: z.string() }),
  ]),
);
export type SealedEnv = z.infer<typeof SealedEnv>;

/** A later entry of the same name wins. */
export function openEnv(env: SealedEnv, key: Buffer): Record<string, string> {
  return Object.fromEntries(
    env.map((entry) => [entry.name, 'sealed' in entry ? unseal(key, entry.sealed, entry.context) : entry.value]),
  );
}
