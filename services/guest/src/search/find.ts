import type { FindMatch } from '@berth/contract/guest';
import type { Call } from '../http/call.ts';
import { Fault } from '../http/fault.ts';
import { resolveWildcard } from '../paths.ts';
import { answerSearch } from './answer-search.ts';
import { excludedFolders, isOn, listOf, maxResults, requireFolder } from './search-query.ts';

const defaultResults = 20;

export async function find(call: Call): Promise<void> {
  const { query } = call;
  const { absolute: root } = resolveWildcard(call.rest, call.guest.settings);
  const job = {
    kind: 'find' as const,
    root,
    type: typeOf(query.get('type') || 'file'),
    patterns: listOf(query.get('patterns') ?? ''),
    excludeDirs: excludedFolders(query),
    excludeHidden: isOn(query, 'excludeHidden', true),
    maxResults: maxResults(query, defaultResults),
  };
  await requireFolder(root, 404);
  await answerSearch(call, job);
}

function typeOf(text: string): FindMatch['type'] {
  if (text === 'file' || text === 'directory') return text;
  throw new Fault(400, `type must be file or directory, not "${text.slice(0, 50)}".`);
}
