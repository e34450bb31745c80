// Plans the next actions for one sandbox from its current state. Pure, so that it can be tested against any history. A
// sandbox holds its owner's data, so it is never replaced by an empty one: it is started once per boot, waits for a
// runner that is away, and otherwise fails.
import type { ObservedSandbox, SandboxAction } from './observed.ts';
import { planSandboxBoot } from './plan-boot.ts';
import { runningOf } from './running-instances.ts';

export function planSandbox(observed: ObservedSandbox): readonly SandboxAction[] {
  if (observed.isTerminated) return [...retireRunning(observed), ...forget(observed)];
  const ending = endingOf(observed);
  if (ending !== undefined) return [ending, ...forget(observed)];
  return [...planSandboxBoot(observed), ...dueLater(observed)];
}

/** The expiry time comes first: from that moment on readers show the sandbox as ended. */
function endingOf(observed: ObservedSandbox): SandboxAction | undefined {
  const { now, expiresAt, status, endings } = observed;
  if (expiresAt !== undefined && expiresAt <= now)
    return { do: 'terminate', type: 'expiration', message: endings.clock };
  if (status === 'DELETING') return { do: 'terminate', type: 'deletion', message: 'Deleted on request.' };
  // Only the wanted boot counts: an expiry that an earlier boot reported says nothing about this one.
  const isUnused = runningOf(observed).some(({ isExpired, boot }) => isExpired && boot === observed.boot.id);
  return isUnused ? { do: 'terminate', type: 'expiration', message: endings.idle } : undefined;
}

function retireRunning(observed: ObservedSandbox): readonly SandboxAction[] {
  const running = runningOf(observed);
  return running.length === 0 ? [] : [{ do: 'retire', instances: running.map(({ id }) => id) }];
}

/**
 * Marks instances on unreachable runners as ended once the sandbox has terminated. A
 * returning runner removes the container.
 */
const forget = ({ instances }: ObservedSandbox): readonly SandboxAction[] =>
  instances
    .filter(({ endedAt, awaySince }) => endedAt === undefined && awaySince !== undefined)
    .map(({ id }) => ({ do: 'give-up', instance: id, message: 'Its machine was away when it ended.' }));

function dueLater(observed: ObservedSandbox): readonly SandboxAction[] {
  const { now, expiresAt, lostAfterMs } = observed;
  const lost = runningOf(observed).flatMap(({ awaySince }) =>
    awaySince === undefined ? [] : [awaySince + lostAfterMs],
  );
  return [...(expiresAt === undefined ? [] : [expiresAt]), ...lost]
    .filter((at) => at > now)
    .map((at) => ({ do: 'look-again', at }));
}
