import { posix } from 'node:path';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { resolveWildcard } from '../paths.ts';
import { answerSearch } from './answer-search.ts';
import { excludedFolders, isOn, maxResults, requireFolder } from './search-query.ts';

const defaultResults = 20;
const maxQueryCharacters = 256;

/** Without `query` the last segment of the path is the query, and its folder is searched (U-02). */
export async function fuzzySearch(call: Call): Promise<void> {
  const given = call.query.get('query') ?? '';
  const { absolute } = resolveWildcard(call.rest, call.guest.settings);
  const isRest = /^(\/|%2f)*$/i.test(call.rest);
  const query = given || (isRest ? '' : posix.basename(absolute));
  if (query === '') throw new Fault(400, 'query is missing. Give what to look for: ?query=<part of a path>.');
  if (query.length > maxQueryCharacters) {
    throw new Fault(400, `query is longer than ${maxQueryCharacters} characters. Give a shorter part of the path.`);
  }
  const root = given === '' ? posix.dirname(absolute) : absolute;
  const job = {
    kind: 'fuzzy' as const,
    root,
    query,
    excludeDirs: excludedFolders(call.query),
    excludeHidden: isOn(call.query, 'excludeHidden', true),
    maxResults: maxResults(call.query, defaultResults),
  };
  await requireFolder(root, 404);
  await answerSearch(call, job);
}
