import * as z from 'zod/mini';
import { defineTool } from '../tool.ts';

export const fsGetWorkingDirectory = defineTool({
  name: 'fsGetWorkingDirectory',
  description: 'Tells the folder that relative paths are relative to.',
  input: z.strictObject({}),
  output: z.object({ path: z.string() }),
  run: async (_args, { guest }) => ({ path: guest.settings.workingDirectory }),
});
