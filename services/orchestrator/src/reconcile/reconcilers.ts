// The registry: one reconciler for each kind that needs one. Resources of all other kinds need no reconcile.
import { deploymentReconciler } from '../deployments/reconciler.ts';
import type { Reconciler } from '../run/reconciler.ts';
import { sandboxReconciler } from '../sandboxes/reconciler.ts';

export const reconcilers: readonly Reconciler[] = [deploymentReconciler, sandboxReconciler];

export const reconcilerOf = (kind: string): Reconciler | undefined =>
  reconcilers.find(({ kinds }) => kinds.includes(kind));
