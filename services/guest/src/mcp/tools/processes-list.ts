import { ProcessShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { shorten } from '../shorten.ts';
import { defineTool } from '../tool.ts';

// Limit for all processes together: the output of hundreds is too much for an answer and for its reader.
const maxTotalCharacters = 512 * 1024;
const minCharacters = 200;

export const processesList = defineTool({
  name: 'processesList',
  description:
    'Lists the processes that were started through this API, finished ones too, with the end of their output. processGet shows more of one.',
  input: z.strictObject({}),
  output: z.object({ processes: z.array(ProcessShape) }),
  run: async (_args, { guest }) => {
    const listed = (await guest.processes()).list();
    const maxCharacters = Math.max(minCharacters, Math.floor(maxTotalCharacters / (listed.length * 3)));
    const processes: z.output<typeof ProcessShape>[] = [];
    // One after the other, and shortened at once, so that their output is never all in memory.
    for (const one of listed) {
      const { logs, stdout, stderr, ...described } = await one.describe('listed');
      processes.push({
        ...described,
        logs: shorten(logs, maxCharacters),
        stdout: shorten(stdout, maxCharacters),
        stderr: shorten(stderr, maxCharacters),
      });
    }
    return { processes };
  },
});
