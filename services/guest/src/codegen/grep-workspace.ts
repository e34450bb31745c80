import { lineExpression } from '../search/line-expression.ts';
import type { GrepMatch } from '../search/search-lines.ts';
import { grepReport } from './grep-report.ts';
import { searchWorkspace, workspaceWalk } from './search-workspace.ts';

const maxLines = 1000;

export type GrepOptions = { root: string; query: string; caseSensitive: boolean; include: string; exclude: string };

/** Matches as lines of JSON, in the order of paths and lines; undefined when nothing matches. */
export async function grepWorkspace(options: GrepOptions, left: AbortSignal): Promise<string | undefined> {
  // Throws on an invalid pattern before a worker starts.
  lineExpression(options.query, options.caseSensitive);
  const job = { kind: 'grep' as const, ...options, ...workspaceWalk(), maxResults: maxLines };
  const found = await searchWorkspace<GrepMatch>(job, left);
  return found.length === 0 ? undefined : grepReport(found, found.length >= maxLines);
}
