// Plans a resource that should run. Revisions are judged by their instances, traffic moves once the target has a ready
// instance, and everything else follows from that.
import { isDeepStrictEqual } from 'node:util';
import { judge, type Verdict } from './judge-revision.ts';
import { beginAttempts } from './new-attempts.ts';
import type { Action, Memory, Observed } from './observed.ts';
import { eventsFor, type Outcome } from './outcome-events.ts';
import { noteFor } from './outcome-note.ts';
import { isAwaited, type Roles, rolesOf } from './revision-roles.ts';
import { scale } from './scale.ts';
import { type Want, wantedCounts } from './wanted-counts.ts';

export function planDeployment(observed: Observed): readonly Action[] {
  const roles = rolesOf(observed);
  const begun = beginAttempts(observed, roles);
  const attemptAt = begun.isAnew ? observed.now : (observed.memory.attemptAt ?? 0);
  const verdicts = begun.revisions.map((revision) => judge(revision, observed.instances, attemptAt));
  const target = verdicts.find(({ revision }) => revision.id === roles.target);
  const isUp = target?.isReady === true && target.status === 'DEPLOYED';
  const wanted = wantedCounts(observed, verdicts, roles, isUp);
  const memory = nextMemory(observed, roles, isUp, attemptAt);
  const outcome: Outcome = {
    observed,
    roles,
    verdicts,
    wanted,
    isUp,
    status: nextStatus(observed, roles, verdicts, isUp),
  };
  const events = eventsFor(outcome);
  return [
    ...marks(observed, roles, verdicts, wanted, isUp),
    ...scale(observed, verdicts, wanted),
    ...(isDeepStrictEqual(memory, observed.memory) ? [] : [{ do: 'remember' as const, memory }]),
    ...events.map((event) => ({ do: 'say' as const, event })),
    // Less important news can wait for the next run.
    ...(events.length > 0 ? [] : noteFor(outcome).map((event) => ({ do: 'note' as const, event }))),
  ];
}

function nextMemory(
  { memory, generation }: Observed,
  { target, serving }: Roles,
  isUp: boolean,
  attemptAt: number,
): Memory {
  const next = { ...memory, observedGeneration: generation, ...(attemptAt === 0 ? {} : { attemptAt }) };
  if (!isUp || target === serving) return next;
  return { ...next, activeRevision: target, ...(serving === undefined ? {} : { previousActiveRevision: serving }) };
}

/**
 * DEPLOYING while an awaited revision has not come up. A failure stays FAILED until the spec changes, even if
 * an older revision serves well: the user who deployed has to learn of it. A target that came up once is
 * DEPLOYED, with or without an instance.
 */
function nextStatus(observed: Observed, roles: Roles, verdicts: readonly Verdict[], isUp: boolean): string {
  const awaited = verdicts.filter(({ revision }) => isAwaited(roles, revision));
  if (awaited.some(({ status }) => status === 'DEPLOYING')) return 'DEPLOYING';
  if (awaited.some(({ status }) => status === 'FAILED')) return 'FAILED';
  const isDecided = observed.status === 'FAILED' && observed.generation === observed.memory.observedGeneration;
  const target = verdicts.find(({ revision }) => revision.id === roles.target);
  const isProven = isUp || (target?.status === 'DEPLOYED' && roles.target === roles.serving);
  return isProven && !isDecided ? 'DEPLOYED' : observed.status;
}

/** Deactivates revisions that are no longer wanted. The newest stays proven while it waits for its turn. */
function marks(
  observed: Observed,
  roles: Roles,
  verdicts: readonly Verdict[],
  wanted: ReadonlyMap<string, Want>,
  isUp: boolean,
): readonly Action[] {
  return verdicts.flatMap(({ revision: { id }, status }) => {
    const isSuperseded = isUp && id === roles.serving && id !== roles.target;
    const isUnwanted = !wanted.has(id) && (isSuperseded || id !== roles.newest);
    const next = isUnwanted && status !== 'FAILED' ? 'DEACTIVATED' : status;
    const before = observed.revisions.find((revision) => revision.id === id)?.status;
    return next === before ? [] : [{ do: 'mark' as const, revision: id, status: next }];
  });
}
