// The settings of the installation, as its server reads them.
import { Brand } from '@berth/contract';
import { parse } from 'yaml';
import { z } from 'zod';
import { Fault } from '../machine/fault.ts';
import type { Places } from '../machine/places.ts';
import { readIfThere } from '../machine/write-file.ts';

const Settings = z.looseObject({
  postgres: z.object({ url: z.string() }),
  clickhouse: z.looseObject({ url: z.string() }).optional(),
  masterKeys: z.array(z.object({ id: z.string(), key: z.string() })),
  backup: z.looseObject({ keyFile: z.string().optional() }).prefault({}),
  api: z.looseObject({ brand: Brand.prefault({}) }).prefault({}),
});

export async function readSettings({ settings }: Pick<Places, 'settings'>): Promise<z.infer<typeof Settings>> {
  const text = await readIfThere(settings);
  const found = text === undefined ? undefined : Settings.safeParse(parse(text)).data;
  if (found !== undefined) return found;
  throw new Fault(
    text === undefined ? `${settings} does not exist.` : `${settings} lacks postgres.url or masterKeys.`,
    text === undefined ? 'berth-server up' : `put them back into ${settings}`,
  );
}
