// Events for the changes of a run. Each carries the status of the resource after the run.

import type { StatusEvent } from '../run/status-event.ts';
import type { RevisionVerdict } from './judge-revision.ts';
import type { ObservedDeployment } from './observed.ts';
import type { RevisionRoles } from './revision-roles.ts';
import type { WantedCount } from './wanted-counts.ts';

export interface Outcome {
  readonly observed: ObservedDeployment;
  readonly roles: RevisionRoles;
  readonly verdicts: readonly RevisionVerdict[];
  readonly wanted: ReadonlyMap<string, WantedCount>;
  /** The target has a ready instance. */
  readonly isTargetReady: boolean;
  /** Status of the resource after this run. */
  readonly status: string;
}

export function outcomeEvents(outcome: Outcome): readonly StatusEvent[] {
  const { observed, status } = outcome;
  const events = [...successes(outcome), ...failures(outcome)];
  return events.length > 0 || status === observed.status ? events : plainEvent(outcome);
}

function successes({ observed, roles, verdicts, isTargetReady, status }: Outcome): readonly StatusEvent[] {
  return verdicts.flatMap(({ revision: { id }, status: now }) => {
    const wasProven = observed.revisions.find((revision) => revision.id === id)?.status === 'DEPLOYED';
    const takesOver = isTargetReady && id === roles.target && id !== roles.serving;
    if (!takesOver && (now !== 'DEPLOYED' || wasProven)) return [];
    // An older revision that came up again beside the target changes nothing for the user.
    if (id !== roles.target && id !== roles.canary && id !== roles.newest) return [];
    return [{ type: 'deployment' as const, status, message: success(roles, id), revision: id }];
  });
}

function success({ target, canary, serving }: RevisionRoles, id: string): string {
  if (id === target) return `Revision ${id} is serving.`;
  if (id === canary) return `Revision ${id} is ready and takes its share as canary.`;
  return serving === undefined
    ? `Revision ${id} is ready.`
    : `Revision ${id} is ready; revision ${serving} goes on serving.`;
}

const failures = ({ verdicts, status }: Outcome): readonly StatusEvent[] =>
  verdicts.flatMap(({ revision, failure }) =>
    failure === undefined ? [] : [{ type: failure.type, status, message: failure.message, revision: revision.id }],
  );

/** Event for a status that follows from a changed spec alone. */
function plainEvent({ roles: { target, canary }, verdicts, status }: Outcome): readonly StatusEvent[] {
  const of = (wanted: string): string | undefined =>
    verdicts.find(({ revision: { id }, status }) => status === wanted && (id === target || id === canary))?.revision.id;
  const revision = of(status) ?? target;
  const messages: Readonly<Record<string, string>> = {
    DEPLOYING: `Revision ${revision} is being brought up.`,
    DEPLOYED: `Revision ${revision} is serving.`,
    FAILED: `Revision ${revision} failed when it was brought up. Choose another one or deploy again.`,
  };
  return [{ type: 'deployment', status, message: messages[status] ?? status, revision }];
}
