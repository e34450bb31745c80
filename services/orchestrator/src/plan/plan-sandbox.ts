// One sandbox: what to do now, from what is known now. Pure, so that it can be tried against any history. A sandbox holds what
// its owner put into it, so it is never replaced by an empty one: it is started once per boot, waits for a machine that is
// away, and otherwise says that it has failed.
import type { ObservedSandbox, SandboxAction } from './observed-sandbox.ts';
import { planSandboxBoot } from './plan-sandbox-boot.ts';
import { runningOf } from './sandbox-instances.ts';

export function planSandbox(observed: ObservedSandbox): readonly SandboxAction[] {
  if (observed.isTerminated) return [...retireRunning(observed), ...forget(observed)];
  const ending = endingOf(observed);
  if (ending !== undefined) return [ending, ...forget(observed)];
  return [...planSandboxBoot(observed), ...dueLater(observed)];
}

/** By the clock before anything else: from that moment on everybody sees it as over. */
function endingOf(observed: ObservedSandbox): SandboxAction | undefined {
  const { now, expiresAt, status, endings } = observed;
  if (expiresAt !== undefined && expiresAt <= now)
    return { do: 'terminate', type: 'expiration', message: endings.clock };
  if (status === 'DELETING') return { do: 'terminate', type: 'deletion', message: 'Deleted on request.' };
  // What an earlier boot says of itself is no more true of this one than its files are in it.
  const isUnused = runningOf(observed).some(({ isExpired, boot }) => isExpired && boot === observed.boot.id);
  return isUnused ? { do: 'terminate', type: 'expiration', message: endings.idle } : undefined;
}

function retireRunning(observed: ObservedSandbox): readonly SandboxAction[] {
  const running = runningOf(observed);
  return running.length === 0 ? [] : [{ do: 'retire', instances: running.map(({ id }) => id) }];
}

/** Of one that is over nobody waits to hear from a machine that is away; when it returns it is told to remove it. */
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
