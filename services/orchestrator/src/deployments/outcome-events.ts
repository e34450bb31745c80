// Events for the changes of a run. Each carries the status of the resource after the run.
import type { Verdict } from './judge-revision.ts';
import type { Observed, SaidEvent } from './observed.ts';
import type { Roles } from './revision-roles.ts';
import type { Want } from './wanted-counts.ts';

export interface Outcome {
  readonly observed: Observed;
  readonly roles: Roles;
  readonly verdicts: readonly Verdict[];
  readonly wanted: ReadonlyMap<string, Want>;
  /** The target has a ready instance. */
  readonly isUp: boolean;
  /** Status of the resource after this run. */
  readonly status: string;
}

export function eventsFor(outcome: Outcome): readonly SaidEvent[] {
  const { observed, status } = outcome;
  const events = [...successes(outcome), ...failures(outcome)];
  return events.length > 0 || status === observed.status ? events : plainEvent(outcome);
}

function successes({ observed, roles, verdicts, isUp, status }: Outcome): readonly SaidEvent[] {
  return verdicts.flatMap(({ revision: { id }, status: now }) => {
    const wasProven = observed.revisions.find((revision) => revision.id === id)?.status === 'DEPLOYED';
    const takesOver = isUp && id === roles.target && id !== roles.serving;
    if (!takesOver && (now !== 'DEPLOYED' || wasProven)) return [];
    // An older revision that came up again beside the target changes nothing for the user.
    if (id !== roles.target && id !== roles.canary && id !== roles.newest) return [];
    return [{ type: 'deployment' as const, status, message: success(roles, id), revision: id }];
  });
}

function success({ target, canary, serving }: Roles, id: string): string {
  if (id === target) return `Revision ${id} is serving.`;
  if (id === canary) return `Revision ${id} is ready and takes its share as canary.`;
  return serving === undefined
    ? `Revision ${id} is ready.`
    : `Revision ${id} is ready; revision ${serving} goes on serving.`;
}

const failures = ({ verdicts, status }: Outcome): readonly SaidEvent[] =>
  verdicts.flatMap(({ revision, failure }) =>
    failure === undefined ? [] : [{ type: failure.type, status, message: failure.message, revision: revision.id }],
  );

/** Event for a status that follows from a changed spec alone. */
function plainEvent({ roles: { target, canary }, verdicts, status }: Outcome): readonly SaidEvent[] {
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
