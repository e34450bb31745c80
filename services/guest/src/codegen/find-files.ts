import { join } from 'node:path';
import { searchWorkspace, workspaceWalk } from './search-workspace.ts';

const maxFiles = 10;

/** Returns at most ten absolute paths, the closest first. */
export async function findFiles(root: string, query: string, left: AbortSignal): Promise<string[]> {
  const job = { kind: 'closest' as const, root, query, ...workspaceWalk(), maxResults: maxFiles };
  const found = await searchWorkspace<{ path: string }>(job, left);
  return found.map(({ path }) => join(root, path));
}
