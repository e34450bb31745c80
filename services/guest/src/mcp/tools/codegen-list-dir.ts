import { DirectoryShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenListDir = defineTool({
  name: 'codegenListDir',
  description: 'Lists the files and folders of a folder of the project, one level.',
  input: z.strictObject({ relativeWorkspacePath: text('Folder, relative to the working directory.') }),
  output: z.object({ success: z.boolean(), directory: DirectoryShape }),
  run: async ({ relativeWorkspacePath }, { guest }) => {
    const { workspacePath } = await import('../../codegen/workspace-path.ts');
    const { listDirectory } = await import('../../files/list-directory.ts');
    const path = workspacePath(relativeWorkspacePath, guest.settings);
    return { success: true, directory: await listDirectory(path, { maxEntries: maxListedEntries }) };
  },
});

const maxListedEntries = 20_000;
