import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { resolveWildcard } from '../paths.ts';
import { answerSearch } from './answer-search.ts';
import { excludedFolders, isOn, maxResults, requireFolder, wholeNumber } from './search-query.ts';

const defaultResults = 100;
const maxQueryCharacters = 1_000;
const maxContextLines = 20;

/** Searches plain text, not a pattern. Hidden files are included. */
export async function contentSearch(call: Call): Promise<void> {
  const text = wantedText(call.query.get('query') ?? '');
  const { absolute: root } = resolveWildcard(call.rest, call.guest.settings);
  const job = {
    kind: 'content' as const,
    root,
    query: text,
    caseSensitive: isOn(call.query, 'caseSensitive', false),
    filePattern: call.query.get('filePattern') ?? '',
    contextLines: Math.min(wholeNumber(call.query, 'contextLines', 0), maxContextLines),
    excludeDirs: excludedFolders(call.query),
    excludeHidden: false,
    maxResults: maxResults(call.query, defaultResults),
  };
  await requireFolder(root, 400);
  await answerSearch(call, job, { query: text });
}

function wantedText(text: string): string {
  if (text === '') throw new Fault(400, 'query is missing. Give the text to look for: ?query=<text>.');
  if (text.length > maxQueryCharacters) {
    throw new Fault(400, `query is longer than ${maxQueryCharacters} characters. Look for a shorter part of it.`);
  }
  if (text.includes('\n')) throw new Fault(400, 'query must be part of one line. Leave out the line break.');
  return text;
}
