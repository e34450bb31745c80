import * as z from 'zod/mini';
import { resolveGiven } from '../../paths.ts';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenEditFile = defineTool({
  name: 'codegenEditFile',
  description: 'Merges an edit sketch into a file with a model made for that. A file that is not there is created.',
  input: z.strictObject({
    targetFile: text('File; absolute, or relative to the working directory.'),
    instructions: text('One sentence about what the edit does.'),
    codeEdit: text('The changed parts, with comments such as "// ... existing code ..." for what stays.').check(
      z.minLength(1),
    ),
  }),
  output: z.object({
    success: z.boolean(),
    message: z.nullish(z.string()),
    filePath: z.nullish(z.string()),
    changesApplied: z.nullish(z.string()),
  }),
  isOffered: ({ applyProvider }) => applyProvider !== undefined,
  run: async ({ targetFile, instructions, codeEdit }, { guest, left }) => {
    const { applyEdit } = await import('../../codegen/apply-edit.ts');
    const { settings } = guest;
    const path = resolveGiven(targetFile, settings);
    const request = { path, codeEdit, instruction: instructions, model: undefined };
    const applied = await applyEdit(settings.applyProvider, request, left);
    return {
      success: true,
      message: applied.message,
      filePath: applied.path,
      changesApplied: applied.updatedContent,
    };
  },
});
