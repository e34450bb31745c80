// Events for the user while no status changes. At most one per run, the most important first, and never a
// repetition of the newest event.

import type { StatusEvent } from '../run/status-event.ts';
import { hasFailed, isReady, isWorking, newestFirst } from './instances.ts';
import type { Outcome } from './outcome-events.ts';

export function outcomeNote(outcome: Outcome): readonly StatusEvent[] {
  const note = replacement(outcome) ?? recovery(outcome) ?? progress(outcome);
  return note === undefined || note.message === outcome.observed.newestEvent?.message ? [] : [note];
}

/** The serving revision has lost its last instance and gets a new one. */
function replacement({ observed, roles, verdicts, wanted, isTargetReady, status }: Outcome): StatusEvent | undefined {
  const serving = verdicts.find(({ revision }) => revision.id === roles.serving);
  if (serving === undefined || serving.status !== 'DEPLOYED' || serving.isReady || isTargetReady) return undefined;
  const own = observed.instances.filter(({ revision }) => revision === serving.revision.id);
  const newest = own.toSorted(newestFirst)[0];
  const isAsked = (wanted.get(serving.revision.id)?.count ?? 0) > 0;
  if (newest === undefined || !hasFailed(newest) || !isAsked) return undefined;
  const message = `No instance is ready, another one is started: ${serving.failures.reason}`;
  return { type: 'infrastructure', status, message, revision: serving.revision.id };
}

function recovery({ observed, roles, verdicts, status }: Outcome): StatusEvent | undefined {
  const serving = verdicts.find(({ revision }) => revision.id === roles.serving);
  if (observed.newestEvent?.type !== 'infrastructure' || serving?.isReady !== true || status !== 'DEPLOYED')
    return undefined;
  const { id } = serving.revision;
  return { type: 'infrastructure', status, message: `Revision ${id} is serving again.`, revision: id };
}

/** Progress of the image pull of the oldest instance that still pulls. */
function progress({ observed, status }: Outcome): StatusEvent | undefined {
  if (status !== 'DEPLOYING') return undefined;
  const [first] = observed.instances
    .filter((instance) => isWorking(instance) && !isReady(instance) && instance.state === 'pulling')
    .toSorted((left, right) => left.createdAt - right.createdAt);
  if (first?.message === undefined) return undefined;
  return { type: 'deployment', status, message: first.message, revision: first.revision };
}
