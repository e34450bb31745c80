// Tells the users of executions that got no task in this run why they wait.
import type { Dependencies } from '../run/dependencies.ts';
import type { Shares } from './share.ts';
import type { ShareInput } from './tally.ts';
import { addWaitEvent, loadUnexplained } from './wait-event.ts';

/** Executions of one run, because a thousand may begin to wait at once. The others are told by later runs. */
const maxExplained = 20;

/**
 * Returns the executions that wait for a runner. The caller tries to place a task of each, which fails and says in the
 * execution's own words which runner is missing.
 */
export async function explainWaiting(
  { database }: Pick<Dependencies, 'database'>,
  { executions, accounts }: ShareInput,
  { blocks }: Shares,
): Promise<readonly string[]> {
  const waiting = executions.filter(({ executionId, active }) => active === 0 && blocks.get(executionId) !== 'enough');
  const silent = waiting.filter(({ executionId }) => blocks.has(executionId)).map(({ executionId }) => executionId);
  if (silent.length === 0) return [];
  const forRunner: string[] = [];
  for (const record of await loadUnexplained(database, silent, maxExplained)) {
    const block = blocks.get(record.id);
    const account = accounts.get(waiting.find(({ executionId }) => executionId === record.id)?.accountId ?? '');
    if (block === 'runners') forRunner.push(record.id);
    else if (block === 'job_concurrent_tasks')
      await addWaitEvent(database, record, limitText(block, account?.maxTasks ?? 0));
    else if (block === 'job_parallel_executions')
      await addWaitEvent(database, record, limitText(block, account?.maxExecutions ?? 0));
  }
  return forRunner;
}

const limitText = (resourceType: string, limit: number): string =>
  `The account limit of ${limit} for ${resourceType} is reached, so its tasks wait until others have ended. ` +
  'Ask the operator to raise the limit if that takes too long.';
