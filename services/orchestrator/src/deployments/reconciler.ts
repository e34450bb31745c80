import type { Reconciler } from '../run/reconciler.ts';
import { applyDeployment } from './apply.ts';
import { deploymentKinds } from './deployment-kinds.ts';
import { loadDeployment } from './load.ts';
import { planDeployment } from './plan.ts';

/** Agents and functions. */
export const deploymentReconciler: Reconciler = {
  kinds: deploymentKinds,
  async decide(tx, dependencies, row) {
    const loaded = await loadDeployment(tx, row, dependencies);
    const actions = planDeployment(loaded.observed);
    return { applied: await applyDeployment(tx, dependencies, loaded, actions), now: loaded.observed.now };
  },
};
