import type { Database } from '@berth/database';
import { PlacementConfig } from '@berth/instances';
import { reconcileResource } from '../src/reconcile/reconcile-resource.ts';
import { testDependencies } from './test-dependencies.ts';

/** Reconciles a resource as the orchestrator does, without a Restate around it. */
export async function reconcileOnce(
  database: Database,
  uid: string,
  notifyGateways: (word: string) => void,
): Promise<void> {
  const placement = PlacementConfig.parse({});
  const scaling = { requestsPerInstance: 10, idleSeconds: 60, mostInstances: 10 };
  await reconcileResource(testDependencies(database, { placement, scaling, notifyGateways }), uid);
}
