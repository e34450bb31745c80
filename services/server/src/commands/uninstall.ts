import { z } from 'zod';
import { openInstallation } from '../operate/install/installation.ts';
import { uninstall } from '../operate/uninstall/uninstall.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ deleteData: z.string().optional() });

export const uninstallCommand = defineCommand({
  name: 'uninstall',
  summary: 'removes what up has installed and keeps the data: [--delete-data DOMAIN-OR-ADDRESS]',
  sections: {},
  async run(_, { logger, arguments: argv, print }) {
    const { deleteData } = readFlags(argv, Flags);
    await uninstall(await openInstallation(print), { deleteData, logger });
  },
});
