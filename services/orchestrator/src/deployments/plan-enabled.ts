// Plans a resource that should run. Revisions are judged by their instances, traffic moves once the target has a ready
// instance, and everything else follows from that.
import { isDeepStrictEqual } from 'node:util';
import { judgeRevision, type RevisionVerdict } from './judge-revision.ts';
import { withNewAttempts } from './new-attempts.ts';
import type { DeploymentAction, DeploymentRecord, ObservedDeployment } from './observed.ts';
import { type Outcome, outcomeEvents } from './outcome-events.ts';
import { outcomeNote } from './outcome-note.ts';
import { isAwaited, type RevisionRoles, revisionRolesOf } from './revision-roles.ts';
import { scale } from './scale.ts';
import { type WantedCount, wantedCounts } from './wanted-counts.ts';

export function planEnabled(observed: ObservedDeployment): readonly DeploymentAction[] {
  const roles = revisionRolesOf(observed);
  const attempts = withNewAttempts(observed, roles);
  const attemptAt = attempts.hasNew ? observed.now : (observed.record.attemptAt ?? 0);
  const verdicts = attempts.revisions.map((revision) => judgeRevision(revision, observed.instances, attemptAt));
  const target = verdicts.find(({ revision }) => revision.id === roles.target);
  const isTargetReady = target?.isReady === true && target.status === 'DEPLOYED';
  const wanted = wantedCounts(observed, verdicts, roles, isTargetReady);
  const record = nextRecord(observed, roles, isTargetReady, attemptAt);
  const outcome: Outcome = {
    observed,
    roles,
    verdicts,
    wanted,
    isTargetReady,
    status: nextStatus(observed, roles, verdicts, isTargetReady),
  };
  const events = outcomeEvents(outcome);
  return [
    ...marks(observed, roles, verdicts, wanted, isTargetReady),
    ...scale(observed, verdicts, wanted),
    ...(isDeepStrictEqual(record, observed.record) ? [] : [{ do: 'store-record' as const, record }]),
    ...events.map((event) => ({ do: 'change-status' as const, event })),
    // Less important news can wait for the next run.
    ...(events.length > 0 ? [] : outcomeNote(outcome).map((event) => ({ do: 'add-event' as const, event }))),
  ];
}

function nextRecord(
  { record, generation }: ObservedDeployment,
  { target, serving }: RevisionRoles,
  isTargetReady: boolean,
  attemptAt: number,
): DeploymentRecord {
  const next = { ...record, observedGeneration: generation, ...(attemptAt === 0 ? {} : { attemptAt }) };
  if (!isTargetReady || target === serving) return next;
  return { ...next, activeRevision: target, ...(serving === undefined ? {} : { previousActiveRevision: serving }) };
}

/**
 * DEPLOYING while an awaited revision has not come up. A failure stays FAILED until the spec changes, even if
 * an older revision serves well: the user who deployed has to learn of it. A target that came up once is
 * DEPLOYED, with or without an instance.
 */
function nextStatus(
  observed: ObservedDeployment,
  roles: RevisionRoles,
  verdicts: readonly RevisionVerdict[],
  isTargetReady: boolean,
): string {
  const awaited = verdicts.filter(({ revision }) => isAwaited(roles, revision));
  if (awaited.some(({ status }) => status === 'DEPLOYING')) return 'DEPLOYING';
  if (awaited.some(({ status }) => status === 'FAILED')) return 'FAILED';
  const isDecided = observed.status === 'FAILED' && observed.generation === observed.record.observedGeneration;
  const target = verdicts.find(({ revision }) => revision.id === roles.target);
  const isProven = isTargetReady || (target?.status === 'DEPLOYED' && roles.target === roles.serving);
  return isProven && !isDecided ? 'DEPLOYED' : observed.status;
}

/** Deactivates revisions that are no longer wanted. The newest stays proven while it waits for its turn. */
function marks(
  observed: ObservedDeployment,
  roles: RevisionRoles,
  verdicts: readonly RevisionVerdict[],
  wanted: ReadonlyMap<string, WantedCount>,
  isTargetReady: boolean,
): readonly DeploymentAction[] {
  return verdicts.flatMap(({ revision: { id }, status }) => {
    const isSuperseded = isTargetReady && id === roles.serving && id !== roles.target;
    const isUnwanted = !wanted.has(id) && (isSuperseded || id !== roles.newest);
    const next = isUnwanted && status !== 'FAILED' ? 'DEACTIVATED' : status;
    const before = observed.revisions.find((revision) => revision.id === id)?.status;
    return next === before ? [] : [{ do: 'mark-revision' as const, revision: id, status: next }];
  });
}
