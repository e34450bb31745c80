import { DirectoryShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { resolveGiven } from '../../paths.ts';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const fsListDirectory = defineTool({
  name: 'fsListDirectory',
  description: 'Lists the files and folders of a folder, one level.',
  input: z.strictObject({ path: text('Folder; absolute, or relative to the working directory.') }),
  output: z.object({ directory: DirectoryShape }),
  run: async ({ path }, { guest }) => {
    const { listDirectory } = await import('../../files/list-directory.ts');
    const { absolute, echoed } = resolveGiven(path, guest.settings);
    return { directory: await listDirectory(absolute, { echoed, maxEntries: maxListedEntries }) };
  },
});

// Each entry takes about 200 bytes, twice; a model cannot read nearly as much.
const maxListedEntries = 20_000;
