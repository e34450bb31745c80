import { randomBytes } from 'node:crypto';
import { withSandbox } from '../canary/try-sandbox.ts';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { UpContext } from './up-context.ts';

/** Runs every time: it is the proof, not a change. */
export const trySandbox: Step<UpContext> = {
  name: 'canary',
  async run(context) {
    const word = randomBytes(8).toString('hex');
    const said = await withSandbox(context, (sandbox) => sandbox.run(`echo ${word}`));
    if (said.trim() !== word)
      throw new Fault(`A sandbox answered ${JSON.stringify(said)} to "echo ${word}".`, 'berth-server doctor');
    return 'a sandbox answered over HTTPS';
  },
};
