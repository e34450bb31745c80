import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { flag, text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenGrepSearch = defineTool({
  name: 'codegenGrepSearch',
  description:
    'Finds lines by a regular expression in the text files of the working directory. Gives lines of JSON as ripgrep does; ' +
    'hidden files and folders of dependencies and builds are left out. At most 1000 lines.',
  input: z.strictObject({
    query: text('Regular expression, as in JavaScript.').check(z.minLength(1)),
    caseSensitive: z.nullish(flag('Tell capitals from small letters; false when absent.')),
    includePattern: z.nullish(text('Only files that fit this glob, for example *.ts.')),
    excludePattern: z.nullish(text('No files that fit this glob.')),
  }),
  output: z.object({ success: z.boolean(), results: z.string() }),
  run: async ({ query, caseSensitive, includePattern, excludePattern }, { guest, left }) => {
    const { grepWorkspace } = await import('../../codegen/grep-workspace.ts');
    const results = await grepWorkspace(
      {
        root: guest.settings.workingDirectory,
        query,
        caseSensitive: caseSensitive ?? false,
        include: includePattern ?? '',
        exclude: excludePattern ?? '',
      },
      left,
    );
    if (results === undefined) throw new Fault(404, `No line matches ${query.slice(0, 200)}. Try a wider pattern.`);
    return { success: true, results };
  },
});
