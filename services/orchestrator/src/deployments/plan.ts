// Plans the next actions for one resource from its current state. Pure, so that it can be tested against any history.
import { isLive, retireAll } from './instances.ts';
import type { Action, Observed, SaidEvent } from './observed.ts';
import { planDeployment } from './plan-enabled.ts';

export function plan(observed: Observed): readonly Action[] {
  if (observed.status === 'DELETING') return planDeletion(observed);
  return observed.isEnabled ? planDeployment(observed) : planDeactivation(observed);
}

/** The record is removed last: as long as it exists, the name is taken and the limit is held. */
function planDeletion({ instances }: Observed): readonly Action[] {
  return instances.some(isLive) ? retireAll(instances) : [{ do: 'remove' }];
}

function planDeactivation(observed: Observed): readonly Action[] {
  const { instances, revisions, memory, generation } = observed;
  const status = instances.some(isLive) && observed.status !== 'DEACTIVATED' ? 'DEACTIVATING' : 'DEACTIVATED';
  const message =
    status === 'DEACTIVATED' ? 'Not enabled; nothing of it runs.' : 'Not enabled. What runs of it is stopped.';
  const event: SaidEvent = { type: 'deactivation', status, message };
  return [
    ...revisions
      .filter(({ status }) => status !== 'FAILED' && status !== 'DEACTIVATED')
      .map(({ id }) => ({ do: 'mark' as const, revision: id, status: 'DEACTIVATED' })),
    ...retireAll(instances),
    ...(memory.observedGeneration === generation
      ? []
      : [{ do: 'remember' as const, memory: { ...memory, observedGeneration: generation } }]),
    ...(status === observed.status ? [] : [{ do: 'say' as const, event }]),
  ];
}
