import { bytesPerMb } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { text } from '../argument-types.ts';
import { findProcess } from '../find-process.ts';
import { defineTool } from '../tool.ts';

// An answer holds the output twice, as text and structured.
const maxLogBytes = bytesPerMb;

export const processGetLogs = defineTool({
  name: 'processGetLogs',
  description:
    'Gives the newest 1 MiB of the output of a process, both streams in the order in which they were written.',
  input: z.strictObject({ identifier: text('Pid or name of the process.') }),
  output: z.object({ logs: z.string() }),
  run: async ({ identifier }, { guest, caller }) => {
    const found = await findProcess(guest, identifier);
    const { name, pid } = await found.describe('started');
    guest.log.audit('process_logs_access', caller, { name, pid });
    return { logs: found.newestLogs(maxLogBytes) };
  },
});
