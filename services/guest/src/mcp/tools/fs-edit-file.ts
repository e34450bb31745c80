import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { resolveGiven } from '../../paths.ts';
import { flag, text } from '../argument-types.ts';
import { replaceText } from '../replace-text.ts';
import { defineTool } from '../tool.ts';

export const fsEditFile = defineTool({
  name: 'fsEditFile',
  description: 'Replaces a piece of text in a file. The piece must occur once, unless replaceAll is true.',
  input: z.strictObject({
    path: text('File; absolute, or relative to the working directory.'),
    oldString: text('Piece to replace, exactly as in the file.'),
    newString: text('What comes in its place.'),
    replaceAll: z.nullish(flag('Replace each occurrence; false when absent.')),
  }),
  output: z.object({ path: z.string(), occurrencesReplaced: z.int() }),
  run: async ({ path, oldString, newString, replaceAll }, { guest }) => {
    const { changeFile } = await import('../../codegen/change-file.ts');
    const resolved = resolveGiven(path, guest.settings);
    let occurrencesReplaced = 0;
    await changeFile(resolved, (content) => {
      if (content === undefined) {
        throw new Fault(404, `${resolved.echoed} does not exist. Create it with fsWriteFile.`);
      }
      const { text: changed, count } = replaceText(content, oldString, newString, replaceAll ?? false);
      occurrencesReplaced = count;
      return changed;
    });
    return { path: resolved.echoed, occurrencesReplaced };
  },
});
