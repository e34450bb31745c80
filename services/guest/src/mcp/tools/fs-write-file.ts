import { ChangeShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { resolveGiven } from '../../paths.ts';
import { flag, text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const fsWriteFile = defineTool({
  name: 'fsWriteFile',
  description: 'Writes a file, with the folders on the way to it, or makes a folder. What was in the file is replaced.',
  input: z.strictObject({
    path: text('File or folder; absolute, or relative to the working directory.'),
    content: z.nullish(text('What the file shall hold; nothing when absent.')),
    permissions: z.nullish(text('Octal, for what is created; 0644 for files and 0755 for folders when absent.')),
    isDirectory: z.nullish(flag('Make a folder instead; false when absent.')),
  }),
  output: ChangeShape,
  run: async ({ path, content, permissions, isDirectory }, { guest }) => {
    const { absolute, echoed } = resolveGiven(path, guest.settings);
    const { parsePermissions } = await import('../../files/parse-permissions.ts');
    const mode = parsePermissions(permissions);
    if (isDirectory) {
      const { makeDirectory } = await import('../../files/make-directory.ts');
      await makeDirectory(absolute, { mode, echoed });
      return { path: echoed, message: 'Directory created successfully' };
    }
    const { writeFile } = await import('../../files/write-file.ts');
    await writeFile(absolute, content ?? '', { mode, echoed });
    return { path: echoed, message: 'File written successfully' };
  },
});
