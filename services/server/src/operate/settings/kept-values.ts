import { parse } from 'yaml';
import { z } from 'zod';
import { readIfThere } from '../machine/write-file.ts';
import type { Secrets } from './berth-settings.ts';

export interface KeptValues {
  readonly secrets: Secrets;
  readonly instancesMb: number | undefined;
}

const Password = z.url().transform((url) => decodeURIComponent(new URL(url).password));
const Settings = z.looseObject({
  postgres: z.looseObject({ url: Password }),
  clickhouse: z.looseObject({ url: Password }).optional(),
  masterKeys: z.tuple([z.object({ id: z.string(), key: z.string() })]),
  runner: z.looseObject({ memoryMb: z.int().optional() }).optional(),
});

/** Values that new settings take over from the settings of an earlier run; undefined where the operator keeps them elsewhere. */
export async function keptValues(path: string, newPassword: () => string): Promise<KeptValues | undefined> {
  const text = await readIfThere(path);
  const found = text === undefined ? undefined : Settings.safeParse(parse(text)).data;
  if (found === undefined) return undefined;
  const [masterKey] = found.masterKeys;
  return {
    secrets: {
      masterKey,
      postgresPassword: found.postgres.url,
      clickhousePassword: found.clickhouse?.url ?? newPassword(),
    },
    instancesMb: found.runner?.memoryMb,
  };
}
