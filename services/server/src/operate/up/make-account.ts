import { withDatabase } from '../../with-database.ts';
import { deploymentName } from '../install/install-record.ts';
import { readSettings } from '../install/read-settings.ts';
import { Fault } from '../machine/fault.ts';
import { writeWholeFile } from '../machine/write-file.ts';
import type { Step } from '../steps/run-steps.ts';
import { ownCommand } from './own-command.ts';
import type { UpContext } from './up-context.ts';

export const firstWorkspace = 'main';

export const makeAccount: Step<UpContext> = {
  name: 'account',
  async isDone({ places }) {
    const { postgres } = await readSettings(places);
    const found = await withDatabase(postgres.url, (database) =>
      database.selectFrom('accounts').select('id').limit(1).executeTakeFirst(),
    );
    return found !== undefined;
  },
  async run(context) {
    const { choices, places } = context;
    const output = await ownCommand(context, [
      ...['init', '--email', choices.email, '--account', deploymentName(choices), '--workspace', firstWorkspace],
    ]);
    const [, key] = /^key\s+(\S+)$/m.exec(output) ?? [];
    if (key === undefined)
      throw new Fault('The first run printed no key.', `berth-server create-key --email ${choices.email}`);
    // Shown once everything works; until then a kill must not lose it.
    await writeWholeFile(places.firstKey, key);
    return `${choices.email}, workspace ${firstWorkspace}`;
  },
};
