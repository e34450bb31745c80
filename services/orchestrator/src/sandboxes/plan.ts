// Plans the next actions for one sandbox from its current state. Pure, so that it can be tested against any history. A
// sandbox holds its owner's data, so it is never replaced by an empty one: it is started once per boot, waits for a
// runner that is away, and otherwise fails.
import type { ObservedSandbox, SandboxAction } from './observed.ts';
import { planBoot } from './plan-boot.ts';
import { runningInstances } from './running-instances.ts';

export function planSandbox(observed: ObservedSandbox): readonly SandboxAction[] {
  if (observed.isTerminated) return [...retireRunning(observed), ...endUnreachable(observed)];
  const ending = terminationOf(observed);
  if (ending !== undefined) return [ending, ...endUnreachable(observed)];
  return [...planBoot(observed), ...timers(observed)];
}

/** The expiry time comes first: from that moment on readers show the sandbox as ended. */
function terminationOf(observed: ObservedSandbox): SandboxAction | undefined {
  const { now, expiresAt, status, expiryMessages } = observed;
  if (expiresAt !== undefined && expiresAt <= now)
    return { do: 'terminate', type: 'expiration', message: expiryMessages.clock };
  if (status === 'DELETING') return { do: 'terminate', type: 'deletion', message: 'Deleted on request.' };
  // Only the wanted boot counts: an expiry that an earlier boot reported says nothing about this one.
  const isUnused = runningInstances(observed).some(({ isExpired, boot }) => isExpired && boot === observed.boot.id);
  return isUnused ? { do: 'terminate', type: 'expiration', message: expiryMessages.idle } : undefined;
}

function retireRunning(observed: ObservedSandbox): readonly SandboxAction[] {
  const running = runningInstances(observed);
  return running.length === 0 ? [] : [{ do: 'retire', instances: running.map(({ id }) => id) }];
}

/**
 * Marks instances on unreachable runners as ended once the sandbox has terminated. A
 * returning runner removes the container.
 */
const endUnreachable = ({ instances }: ObservedSandbox): readonly SandboxAction[] =>
  instances
    .filter(({ endedAt, runnerLostSince }) => endedAt === undefined && runnerLostSince !== undefined)
    .map(({ id }) => ({ do: 'end-lost', instance: id, message: 'Its machine was away when it ended.' }));

function timers(observed: ObservedSandbox): readonly SandboxAction[] {
  const { now, expiresAt, lostAfterMs } = observed;
  const lost = runningInstances(observed).flatMap(({ runnerLostSince }) =>
    runnerLostSince === undefined ? [] : [runnerLostSince + lostAfterMs],
  );
  return [...(expiresAt === undefined ? [] : [expiresAt]), ...lost]
    .filter((at) => at > now)
    .map((at) => ({ do: 'set-timer', at }));
}
