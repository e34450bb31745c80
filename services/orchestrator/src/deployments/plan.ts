// Plans the next actions for one resource from its current state. Pure, so that it can be tested against any history.

import type { StatusEvent } from '../run/status-event.ts';
import { isLive, retireAll } from './instances.ts';
import type { DeploymentAction, ObservedDeployment } from './observed.ts';
import { planEnabled } from './plan-enabled.ts';

export function planDeployment(observed: ObservedDeployment): readonly DeploymentAction[] {
  if (observed.status === 'DELETING') return planDeletion(observed);
  return observed.isEnabled ? planEnabled(observed) : planDeactivation(observed);
}

/** The record is removed last: as long as it exists, the name is taken and the limit is held. */
function planDeletion({ instances }: ObservedDeployment): readonly DeploymentAction[] {
  return instances.some(isLive) ? retireAll(instances) : [{ do: 'remove' }];
}

function planDeactivation(observed: ObservedDeployment): readonly DeploymentAction[] {
  const { instances, revisions, record, generation } = observed;
  const status = instances.some(isLive) && observed.status !== 'DEACTIVATED' ? 'DEACTIVATING' : 'DEACTIVATED';
  const message =
    status === 'DEACTIVATED' ? 'Not enabled; nothing of it runs.' : 'Not enabled. What runs of it is stopped.';
  const event: StatusEvent = { type: 'deactivation', status, message };
  return [
    ...revisions
      .filter(({ status }) => status !== 'FAILED' && status !== 'DEACTIVATED')
      .map(({ id }) => ({ do: 'mark-revision' as const, revision: id, status: 'DEACTIVATED' })),
    ...retireAll(instances),
    ...(record.observedGeneration === generation
      ? []
      : [{ do: 'store-record' as const, record: { ...record, observedGeneration: generation } }]),
    ...(status === observed.status ? [] : [{ do: 'change-status' as const, event }]),
  ];
}
