import type { QuiesceAnswer } from '@berth/contract/guest';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';
import { holdsOf } from './holds.ts';
import { requireRunner } from './require-runner.ts';

/**
 * Called right before the runner freezes the sandbox. The guest writes its lasting state to files before it answers a
 * caller, so there is nothing to save here; the answer only says whether a caller or a keepAlive process would notice.
 */
export async function controlQuiesce(call: Call): Promise<void> {
  await requireRunner(call);
  const holds = await holdsOf(call.guest);
  const ready = holds.openRequests === 0 && holds.keepAliveHolds === 0;
  const answer: QuiesceAnswer = ready
    ? { ready, ...holds }
    : { ready, ...holds, error: `${heldBy(holds.openRequests, holds.keepAliveHolds)}. Ask again when that has ended.` };
  answerJson(call, answer, ready ? 200 : 409);
}

function heldBy(openRequests: number, keepAliveHolds: number): string {
  const reasons = [
    openRequests > 0 ? `${openRequests} request${openRequests === 1 ? ' is' : 's are'} open` : undefined,
    keepAliveHolds > 0 ? `${keepAliveHolds} keepAlive process${keepAliveHolds === 1 ? ' runs' : 'es run'}` : undefined,
  ];
  return `The sandbox is awake for a reason: ${reasons.filter((reason) => reason).join(' and ')}`;
}
