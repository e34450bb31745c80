import * as z from 'zod/mini';
import { resolveGiven } from '../../paths.ts';
import { text, whole } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenReadFileRange = defineTool({
  name: 'codegenReadFileRange',
  description: 'Reads some lines of a file. Up to 250 at a time are easy to work with; more are given when asked for.',
  input: z.strictObject({
    targetFile: text('File; absolute, or relative to the working directory.'),
    startLineOneIndexed: whole('First line, from 1.'),
    endLineOneIndexedInclusive: whole('Last line, from 1, included; not beyond the end of the file.'),
  }),
  output: z.object({ success: z.boolean(), content: z.string(), file: z.string() }),
  run: async ({ targetFile, startLineOneIndexed, endLineOneIndexedInclusive }, { guest }) => {
    const { openText } = await import('../../files/read-file.ts');
    const { readLines } = await import('../../codegen/read-lines.ts');
    const { absolute, echoed } = resolveGiven(targetFile, guest.settings);
    const { pieces } = await openText(absolute, { echoed, maxBytes: Number.MAX_SAFE_INTEGER });
    try {
      const content = await readLines(pieces, startLineOneIndexed, endLineOneIndexedInclusive);
      return { success: true, content, file: echoed };
    } finally {
      await pieces.return();
    }
  },
});
