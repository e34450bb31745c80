// Searches of a project for the tools: without hidden files and without folders that tools install or build. Each runs
// in a search worker, which is terminated when it takes too long: some regular expressions would never finish.
import { Fault } from '../http/fault.ts';
import { searchAll } from '../search/run-search.ts';
import type { SearchJob } from '../search/search-job.ts';
import { excludedFolders } from '../search/search-query.ts';
import { createSemaphore } from '../semaphore.ts';

/** Together with the wait for a turn, below the 60 s after which an edge proxy closes a call without bytes. */
const defaultMaxSeconds = 20;
const maxWaitSeconds = 30;
// Fewer than the workers allowed, so that fifty calls at once wait for each other instead of being refused.
const inSearchSlot = createSemaphore(
  3,
  () => new Fault(429, 'Too many searches are under way. Wait for one to end, then try again.'),
);

export const workspaceWalk = () => ({ excludeDirs: excludedFolders(new URLSearchParams()), excludeHidden: true });

/** Faults: 422 when the search takes too long. */
export async function searchWorkspace<Match>(
  job: SearchJob,
  left: AbortSignal,
  maxSeconds = defaultMaxSeconds,
): Promise<Match[]> {
  const waiting = AbortSignal.any([left, AbortSignal.timeout(maxWaitSeconds * 1000)]);
  return inSearchSlot(waiting, async () => {
    const late = AbortSignal.timeout(maxSeconds * 1000);
    try {
      return await searchAll<Match>(job, AbortSignal.any([left, late]));
    } catch (error) {
      if (!late.aborted) throw error;
      throw new Fault(
        422,
        `The search took longer than ${maxSeconds} seconds. Search a smaller part, or nest fewer repetitions in the pattern.`,
      );
    }
  });
}
