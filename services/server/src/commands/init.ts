// The first run: an account, its first admin with a key, and their first workspace.
import { createKeyring, firstRun, masterKeyRing } from '@berth/identity';
import { z } from 'zod';
import { apiSection } from '../sections/api.ts';
import { masterKeysSection } from '../sections/master-keys.ts';
import { postgresSection } from '../sections/postgres.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({
  email: z.string(),
  account: z.string().min(1).max(128),
  workspace: z.string(),
  /** For starts that cannot know whether they are the first: an existing account is not an error. */
  ifNeeded: z.boolean().default(false),
});

export const initCommand = defineCommand({
  name: 'init',
  summary: 'first run: --email, --account and --workspace; prints the first key once',
  sections: { postgres: postgresSection, masterKeys: masterKeysSection, api: apiSection },
  async run({ postgres, masterKeys, api }, { arguments: argv, print }) {
    const flags = readFlags(argv, Flags, ['ifNeeded']);
    // Imported here, because no other command needs the api's code.
    const { createWorkspace, requireWorkspaceName } = await import('@berth/api');
    // Checked before the account is created: a refused name must leave nothing behind.
    requireWorkspaceName(flags.workspace, api);
    await withDatabase(postgres.url, async (database) => {
      const account = await database.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
      if (account !== undefined && flags.ifNeeded) return;
      const keyring = createKeyring(masterKeyRing(masterKeys));
      const { email, account: accountName, workspace: name } = flags;
      const made = await firstRun(database, keyring, api.brand, {
        email,
        accountName,
        tier: 'tier_9',
        plan: 'self-hosted',
      });
      const id = await createWorkspace(database, keyring, api, {
        name,
        accountId: made.accountId,
        ownerId: made.userId,
      });
      print(`account    ${made.accountId}`);
      print(`workspace  ${name}`);
      print(`key        ${made.apiKey}`);
      print('The key is shown only now. Keep it safe.');
      const { status_reason } = await database
        .selectFrom('workspaces')
        .select('status_reason')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (status_reason !== null) print(`The workspace is not ready. ${status_reason}`);
    });
  },
});
