import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { text } from '../argument-types.ts';
import { findProcess } from '../find-process.ts';
import { defineTool } from '../tool.ts';

export const processStop = defineTool({
  name: 'processStop',
  description: 'Asks a process and its children to end (SIGTERM), and ends them by force after a grace period.',
  input: z.strictObject({ identifier: text('Pid or name of the process.') }),
  output: z.object({ status: z.string() }),
  run: async ({ identifier }, { guest, caller }) => {
    const found = await findProcess(guest, identifier);
    const { name, pid } = await found.describe('started');
    guest.log.audit('process_stop', caller, { name, pid });
    if (!found.stop()) throw new Fault(404, `${identifier} is not running. processGet shows how it ended.`);
    return { status: 'stopped' };
  },
});
