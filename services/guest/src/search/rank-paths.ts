import type { FuzzySearchMatch } from '@berth/contract/guest';
import { fuzzyScore } from './fuzzy-score.ts';
import { fromLatin } from './latin-path.ts';
import type { MatchSink } from './match-sink.ts';
import type { FuzzyJob } from './search-job.ts';
import { walkTree } from './walk-tree.ts';

// The order is known only when the walk is over, so all candidates are held until then.
const maxRanked = 50_000;

/** True when more paths fit than can be held. */
export function rankPaths(job: FuzzyJob, sink: MatchSink): boolean {
  const limit = job.maxResults || maxRanked;
  const query = job.query.toLowerCase();
  let best: FuzzySearchMatch[] = [];
  let fitting = 0;
  for (const { path: latin, kind } of walkTree(job)) {
    const path = fromLatin(latin);
    const score = fuzzyScore(query, path);
    if (score === undefined) continue;
    fitting += 1;
    best.push({ path, score, type: kind === 'directory' ? 'directory' : 'file' });
    if (best.length >= limit * 2) best = best.sort(byRank).slice(0, limit);
  }
  best.sort(byRank);
  best.slice(0, limit).every((match) => sink.add(match));
  return job.maxResults === 0 && fitting > limit;
}

const byRank = (a: FuzzySearchMatch, b: FuzzySearchMatch): number => b.score - a.score || (a.path < b.path ? -1 : 1);
