import { newApiKey, parseExpiry } from '@berth/identity';
import { z } from 'zod';
import { apiSection } from '../sections/api.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  email: z.string().toLowerCase(),
  name: z.string().max(128).default('made by the operator'),
  expiresIn: z
    .string()
    .refine((text) => parseExpiry(text) !== undefined, 'a duration such as 30d, at most 10 years')
    .optional(),
});

export const createKeyCommand = defineCommand({
  name: 'create-key',
  summary: 'a further key of a user: --email [--name NAME] [--expires-in 30d]; prints the key alone',
  sections: { postgres: postgresSection, api: apiSection },
  async run({ postgres, api }, { arguments: argv, print }) {
    const { email, name, expiresIn } = readFlags(argv, Flags);
    const expirySeconds = expiresIn === undefined ? undefined : parseExpiry(expiresIn);
    const key = newApiKey(api.brand);
    await withDatabase(postgres.url, async (database) => {
      const user = await database.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
      if (user === undefined)
        throw new Error(`There is no user ${email}. Check the address, or create them with create-user.`);
      await database
        .insertInto('api_keys')
        .values({
          id: key.id,
          hash: key.hash,
          user_id: user.id,
          name,
          created_by: user.id,
          expires_at: expirySeconds === undefined ? null : new Date(Date.now() + expirySeconds * 1000),
        })
        .execute();
    });
    print(key.value);
  },
});
