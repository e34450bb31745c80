import { createJoinToken, createNodeAuthority, masterKeyRing, parseExpiry } from '@berth/identity';
import { z } from 'zod';
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
});

export const createJoinTokenCommand = defineCommand({
  name: 'create-join-token',
  summary: 'lets one machine become a runner: [--region NAME] [--expires-in 1h]; prints the token alone',
  sections: { postgres: postgresSection, masterKeys: masterKeysSection, api: apiSection },
  async run({ postgres, masterKeys, api }, { arguments: argv, print }) {
    const flags = readFlags(argv, Flags);
    const names = api.regions.map(({ name }) => name);
    const region = flags.region ?? names[0] ?? '';
    if (!names.includes(region))
      throw new Error(`${region} is not a region of this deployment. Choose one of: ${names.join(', ')}.`);
    const token = await withDatabase(postgres.url, async (database) => {
      const authority = await createNodeAuthority(database, masterKeyRing(masterKeys));
      return createJoinToken(database, authority, { region, lifeSeconds: parseExpiry(flags.expiresIn) ?? 0 });
    });
    print(token);
  },
});
