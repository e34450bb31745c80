import * as z from 'zod/mini';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenReapply = defineTool({
  name: 'codegenReapply',
  description: 'Would repeat the last edit with a stronger model. Not available here; edit the file with fsEditFile.',
  input: z.strictObject({ targetFile: text('File whose last edit to repeat.') }),
  output: z.object({ success: z.boolean(), message: z.string() }),
  run: async ({ targetFile }) => ({
    success: false,
    message: `Nothing was changed: edits are not remembered, so that of ${targetFile} cannot be repeated. Use fsEditFile.`,
  }),
});
