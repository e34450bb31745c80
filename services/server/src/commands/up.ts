import { openInstallation } from '../operate/install/installation.ts';
import { booleanUpFlags, UpFlags } from '../operate/up/flags.ts';
import { up } from '../operate/up/up.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

export const upCommand = defineCommand({
  name: 'up',
  summary: 'installs everything on this machine, or brings it up to date: [--domain DOMAIN] [--email ADDRESS]',
  sections: {},
  async run(_, { logger, arguments: argv, print }) {
    await up(await openInstallation(print), readFlags(argv, UpFlags, booleanUpFlags), logger);
  },
});
