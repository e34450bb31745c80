import { ProcessShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { text } from '../argument-types.ts';
import { findProcess } from '../find-process.ts';
import { defineTool } from '../tool.ts';

export const processGet = defineTool({
  name: 'processGet',
  description: 'Describes one process: its status, its exit code and the end of its output.',
  input: z.strictObject({ identifier: text('Pid or name of the process.') }),
  output: ProcessShape,
  run: async ({ identifier }, { guest }) => (await findProcess(guest, identifier)).describe('whole'),
});
