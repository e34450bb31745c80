import type { Database } from '@berth/database';
import { createUser } from '@berth/identity';
import { z } from 'zod';
import { apiSection } from '../sections/api.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  email: z.string(),
  accountRole: z.enum(['member', 'admin']).optional(),
  account: z.string().optional(),
});

export const createUserCommand = defineCommand({
  name: 'create-user',
  summary: 'a user: --email, and --account-role member|admin [--account ID]; prints their key once',
  sections: { postgres: postgresSection, api: apiSection },
  async run({ postgres, api }, { arguments: argv, print }) {
    const { email, accountRole, account } = readFlags(argv, Flags);
    await withDatabase(postgres.url, async (database) => {
      const accountId = account ?? (accountRole === undefined ? undefined : await onlyAccount(database));
      const made = await createUser(database, api.brand, {
        email,
        ...(accountId === undefined ? {} : { accountId }),
        ...(accountRole === undefined ? {} : { accountRole }),
      });
      print(`user  ${made.userId}`);
      print(`key   ${made.apiKey}`);
      print('The key is shown only now. Hand it over safely.');
    });
  },
});

async function onlyAccount(database: Database): Promise<string> {
  const [only, ...others] = await database.selectFrom('accounts').select('id').limit(2).execute();
  if (only === undefined) throw new Error('There is no account yet. Run init first.');
  if (others.length > 0) throw new Error('There are several accounts. Say which one with --account ID.');
  return only.id;
}
