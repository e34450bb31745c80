import * as z from 'zod/mini';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenFileSearch = defineTool({
  name: 'codegenFileSearch',
  description:
    'Finds files by letters of their name, in this order but not necessarily side by side. At most 10 paths.',
  input: z.strictObject({
    query: text('Letters of the name.').check(z.minLength(1)),
    directory: z.nullish(text('Folder inside the working directory to search in; all of it when absent.')),
  }),
  output: z.object({ success: z.boolean(), matches: z.array(z.string()), query: z.string() }),
  run: async ({ query, directory }, { guest, left }) => {
    const { workspacePath } = await import('../../codegen/workspace-path.ts');
    const { findFiles } = await import('../../codegen/find-files.ts');
    const root = workspacePath(directory ?? '.', guest.settings);
    return { success: true, matches: await findFiles(root, query, left), query };
  },
});
