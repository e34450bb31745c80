import { bytesPerMb, FileWithContentShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { resolveGiven } from '../../paths.ts';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

// An answer holds the contents twice, as text and structured.
const maxFileBytes = 4 * bytesPerMb;

export const fsReadFile = defineTool({
  name: 'fsReadFile',
  description: 'Reads a text file of up to 4 MiB. Use codegenReadFileRange for parts of larger ones.',
  input: z.strictObject({ path: text('File; absolute, or relative to the working directory.') }),
  output: FileWithContentShape,
  run: async ({ path }, { guest }) => {
    const { readFile } = await import('../../files/read-file.ts');
    const { absolute, echoed } = resolveGiven(path, guest.settings);
    try {
      return await readFile(absolute, { echoed, maxBytes: maxFileBytes });
    } catch (error) {
      if (!(error instanceof Fault) || error.status !== 413) throw error;
      throw new Fault(
        413,
        `${echoed} is larger than ${maxFileBytes} bytes. Read parts of it with codegenReadFileRange.`,
      );
    }
  },
});
