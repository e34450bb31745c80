import { lstat } from 'node:fs/promises';
import { ChangeShape } from '@berth/contract/guest';
import * as z from 'zod/mini';
import { Fault } from '../../http/fault.ts';
import { resolveGiven } from '../../paths.ts';
import { flag, text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const fsDeleteFileOrDirectory = defineTool({
  name: 'fsDeleteFileOrDirectory',
  description: 'Deletes a file or a folder. A folder that is not empty needs recursive.',
  input: z.strictObject({
    path: text('File or folder; absolute, or relative to the working directory.'),
    isDirectory: z.nullish(flag('What it must be, if that matters; found out when absent.')),
    recursive: z.nullish(flag('Delete what is in the folder as well; false when absent.')),
  }),
  output: ChangeShape,
  run: async ({ path, isDirectory, recursive }, { guest }) => {
    const { deletePath } = await import('../../files/delete-path.ts');
    const { absolute, echoed } = resolveGiven(path, guest.settings);
    await refuseOtherKind(absolute, echoed, isDirectory ?? undefined);
    const kind = await deletePath(absolute, { recursive: recursive ?? false, echoed });
    return { path: echoed, message: `${kind === 'file' ? 'File' : 'Directory'} deleted successfully` };
  },
});

/** A caller that expects a file must not delete a folder. */
async function refuseOtherKind(path: string, echoed: string, isDirectory: boolean | undefined): Promise<void> {
  if (isDirectory === undefined) return;
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || stats.isDirectory() === isDirectory) return;
  throw new Fault(
    422,
    `${echoed} is a ${isDirectory ? 'file' : 'folder'}. Leave isDirectory out to delete it all the same.`,
  );
}
