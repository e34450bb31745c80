import { z } from 'zod';
import { doctor } from '../operate/doctor/doctor.ts';
import { openInstallation } from '../operate/install/installation.ts';
import { defineCommand } from './command.ts';
import { readFlags } from './read-flags.ts';

const Flags = z.object({ json: z.boolean().default(false) });

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'looks at this machine and its deployment, and says how to mend what is wrong: [--json]',
  sections: {},
  async run(_, { arguments: argv, print }) {
    await doctor(await openInstallation(print), readFlags(argv, Flags, ['json']));
  },
});
