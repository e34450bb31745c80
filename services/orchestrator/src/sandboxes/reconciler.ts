import { sandbox } from '@berth/contract';
import type { Reconciler } from '../run/reconciler.ts';
import { applySandbox } from './apply.ts';
import { loadSandbox } from './load.ts';
import { planSandbox } from './plan.ts';

export const sandboxReconciler: Reconciler = {
  kinds: [sandbox.kind],
  async decide(tx, dependencies, row) {
    const loaded = await loadSandbox(tx, row, dependencies);
    const actions = planSandbox(loaded.observed);
    return { applied: await applySandbox(tx, dependencies, loaded, actions), now: loaded.observed.now };
  },
};
