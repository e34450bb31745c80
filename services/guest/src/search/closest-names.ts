// Finds files by letters of their name, like the quick-open of an editor.
import { fromLatin } from './latin-path.ts';
import type { MatchSink } from './match-sink.ts';
import type { ClosestJob } from './search-job.ts';
import { walkTree } from './walk-tree.ts';

type Ranked = { path: string; distance: number };

export function closestNames(job: ClosestJob, sink: MatchSink): void {
  let best: Ranked[] = [];
  for (const { path, name, kind } of walkTree(job)) {
    if (kind !== 'file') continue;
    const distance = nameDistance(job.query, fromLatin(name));
    if (distance === undefined) continue;
    best.push({ path: fromLatin(path), distance });
    // Trimmed while walking: a large project must not fill the memory.
    if (best.length > job.maxResults * 10) best = closest(best, job.maxResults);
  }
  closest(best, job.maxResults).every(({ path }) => sink.add({ path }));
}

/** Sorting is stable and the walk is in order, so equal matches stay in the order of their paths. */
const closest = (found: Ranked[], limit: number): Ranked[] =>
  found.sort((first, second) => first.distance - second.distance).slice(0, limit);

/** Smallest for the exact name, then its start, a part of it, its letters in this order. Undefined without a match. */
function nameDistance(query: string, name: string): number | undefined {
  const wanted = query.toLowerCase();
  const given = name.toLowerCase();
  if (given === wanted) return 0;
  const surplus = Math.min(given.length, 999) / 1000;
  if (given.startsWith(wanted)) return 1 + surplus;
  if (given.includes(wanted)) return 2 + surplus;
  return isSubsequence(wanted, given) ? 3 + surplus : undefined;
}

function isSubsequence(wanted: string, given: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    const found = given.indexOf(letter, at);
    if (found < 0) return false;
    at = found + letter.length;
  }
  return true;
}
