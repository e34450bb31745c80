import * as z from 'zod/mini';
import { text, whole } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenParallelApply = defineTool({
  name: 'codegenParallelApply',
  description: 'Would apply one plan to many files. Not available here; edit the files one by one with fsEditFile.',
  input: z.strictObject({
    editPlan: text('What to change.'),
    editRegions: z
      .array(
        z.strictObject({
          relativeWorkspacePath: text('File, relative to the working directory.'),
          startLine: z.nullish(whole('First line, from 1.')),
          endLine: z.nullish(whole('Last line, from 1, included.')),
        }),
      )
      .check(z.describe('Where to change it.')),
  }),
  output: z.object({ success: z.boolean(), message: z.string() }),
  run: async ({ editRegions }) => ({
    success: false,
    message: `Nothing was changed: plans over several files are not supported. Edit the ${editRegions.length} regions with fsEditFile.`,
  }),
});
