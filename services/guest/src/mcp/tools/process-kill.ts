import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { text } from '../argument-types.ts';
import { findProcess } from '../find-process.ts';
import { defineTool } from '../tool.ts';

export const processKill = defineTool({
  name: 'processKill',
  description: 'Ends a process and its children at once (SIGKILL).',
  input: z.strictObject({ identifier: text('Pid or name of the process.') }),
  output: z.object({ status: z.string() }),
  run: async ({ identifier }, { guest, caller }) => {
    const found = await findProcess(guest, identifier);
    const { name, pid } = await found.describe('started');
    guest.log.audit('process_kill', caller, { name, pid });
    if (!found.kill()) throw new Fault(404, `${identifier} is not running. processGet shows how it ended.`);
    return { status: 'killed' };
  },
});
