import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { JoinContext } from './join-context.ts';

const identityOf = ({ places }: Pick<JoinContext, 'places'>): string => join(places.runnerState, 'identity.json');

/** Uses the token up. It comes late: until here the same line can be run again after a failure. */
export const joinDeployment: Step<JoinContext> = {
  name: 'deployment',
  isDone: async (context) =>
    existsSync(identityOf(context)) && (context.joinToken === undefined || existsSync(context.places.runnerUnit)),
  async run(context) {
    const { places, choices, joinToken, logger } = context;
    await mkdir(places.runnerState, { recursive: true, mode: 0o700 });
    // An identity without a unit is that of an earlier installation, which its deployment may have removed.
    if (joinToken !== undefined) await rm(identityOf(context), { force: true });
    const { obtainIdentity } = await import('@berth/runner');
    await obtainIdentity(
      { apiUrl: choices.nodeUrl, joinToken, stateFolder: places.runnerState, name: choices.name },
      // The step has a line of its own.
      logger.child({}, { level: 'warn' }),
    ).catch((cause: unknown) => {
      throw new Fault(
        `The deployment at ${choices.nodeUrl} did not take this machine.`,
        'on the first machine: berth-server create-join-token --command; then run the line that it prints on this machine; where the name is taken, the same line with --name NAME',
        { cause },
      );
    });
    return `as ${choices.name}`;
  },
};
