import type { Database } from '@berth/database';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { reconcileResource } from '../src/reconcile/reconcile-resource.ts';
import { createCounters } from '../src/run/counters.ts';
import { testRegions } from './control-plane.ts';

/** Reconciles a resource as the orchestrator does, without a Restate around it. */
export async function reconcileOnce(
  database: Database,
  uid: string,
  notifyGateways: (word: string) => void,
): Promise<void> {
  const dependencies = {
    placement: PlacementConfig.parse({}),
    scaling: { requestsPerInstance: 10, idleSeconds: 60, mostInstances: 10 },
    limits: { limits: {}, tiers: {} },
    brand: conformanceBrand(),
    regions: testRegions,
    database,
    logger: createLogger({ role: 'orchestrator' }, { level: 'silent' }),
    counters: createCounters(createMetricsRegistry({ role: 'test' })),
    notifyRunner: () => {},
    notifyGateways,
    random: Math.random,
  };
  await reconcileResource(dependencies, uid);
}
