import { readSettings } from '../install/read-settings.ts';
import type { Step } from '../steps/run-steps.ts';
import { ownCommand } from '../up/own-command.ts';
import type { UpgradeContext } from './upgrade-context.ts';

const longestSeconds = 24 * 60 * 60;

export const backUpBefore: Step<UpgradeContext> = {
  name: 'backup',
  isDone: async ({ isContinued, move }) => isContinued || move.from === move.to,
  async run(context) {
    const { backup } = await readSettings(context.places);
    if (backup.keyFile === undefined)
      return 'none was made, because the settings have no backup.keyFile (docs/operations/backup.md)';
    const words = ['backup', '--to', context.places.backups];
    return (await ownCommand(context, words, { timeoutSeconds: longestSeconds })).trim();
  },
};
