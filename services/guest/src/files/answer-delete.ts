import type { SuccessResponse } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { type ResolvedPath, resolveTree, resolveWildcard } from '../paths.ts';
import { deletePath } from './delete-path.ts';
import type { FileAction } from './system-fault.ts';

/** DELETE of a path. */
export const deleteFile = (call: Call) =>
  deleteAndAnswer(call, resolveWildcard(call.rest, call.guest.settings), 'delete');

/** DELETE of a tree: differs only in the status for a missing path. */
export const deleteTree = (call: Call) => deleteAndAnswer(call, resolveTree(call.rest), 'deleteTree');

async function deleteAndAnswer(call: Call, { absolute, echoed }: ResolvedPath, doing: FileAction): Promise<void> {
  const recursive = call.query.get('recursive') === 'true';
  const kind = await deletePath(absolute, { recursive, echoed, doing });
  const body: SuccessResponse = {
    path: echoed,
    message: `${kind === 'file' ? 'File' : 'Directory'} deleted successfully`,
  };
  answerJson(call, body);
}
