import { createJoinToken, createNodeAuthority, masterKeyRing, parseExpiry } from '@berth/identity';
import { z } from 'zod';
import { openInstallation } from '../operate/install/installation.ts';
import { authorityOf, prepareJoinLine } from '../operate/join/join-line.ts';
import { apiSection } from '../sections/api.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  region: z.string().optional(),
  expiresIn: z
    .string()
    .refine((text) => parseExpiry(text) !== undefined, 'a duration such as 1h, at most 10 years')
    .default('1h'),
  command: z.boolean().default(false),
});

export const createJoinTokenCommand = defineCommand({
  name: 'create-join-token',
  summary:
    'lets one machine become a runner: [--region NAME] [--expires-in 1h] [--command]; prints the token, or the line for that machine',
  sections: { postgres: postgresSection, masterKeys: masterKeysSection, api: apiSection },
  async run({ postgres, masterKeys, api }, { arguments: argv, print, progress }) {
    const flags = readFlags(argv, Flags, ['command']);
    const names = api.regions.map(({ name }) => name);
    const region = flags.region ?? names[0] ?? '';
    if (!names.includes(region))
      throw new Error(`${region} is not a region of this deployment. Choose one of: ${names.join(', ')}.`);
    const lineOf = flags.command
      ? await prepareJoinLine({ api, authority: await authorityOf(await openInstallation(print)) })
      : undefined;
    const token = await withDatabase(postgres.url, async (database) => {
      const authority = await createNodeAuthority(database, masterKeyRing(masterKeys));
      return createJoinToken(database, authority, { region, lifeSeconds: parseExpiry(flags.expiresIn) ?? 0 });
    });
    if (lineOf === undefined) return print(token);
    progress(`Run this as root on the new machine, once and within ${flags.expiresIn}:`);
    print(lineOf(token));
  },
});
