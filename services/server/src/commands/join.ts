import { openInstallation } from '../operate/install/installation.ts';
import { joinMachine } from '../operate/join/join.ts';
import { booleanJoinFlags, JoinFlags } from '../operate/join/join-flags.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

export const joinCommand = defineCommand({
  name: 'join',
  summary:
    'makes this machine a runner, or brings it up to date; create-join-token --command prints the line that starts it',
  sections: {},
  async run(_, { logger, arguments: argv, print }) {
    await joinMachine(await openInstallation(print), readFlags(argv, JoinFlags, booleanJoinFlags), logger);
  },
});
