import type { Database } from '@berth/database';
import { gatewayKey } from '@berth/identity';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { createCounters } from '../src/run/counters.ts';
import type { Dependencies } from '../src/run/dependencies.ts';
import { testGatewayUrl, testPlacement, testRegions, testScaling } from './control-plane.ts';

/** Dependencies of the orchestrator for code that a test calls itself, without Restate; `others` replace some of them. */
export const testDependencies = (database: Database, others: Partial<Dependencies> = {}): Dependencies => ({
  placement: PlacementConfig.parse(testPlacement),
  scaling: testScaling,
  limits: { limits: {}, tiers: {} },
  brand: conformanceBrand(),
  regions: testRegions,
  gatewayUrl: testGatewayUrl,
  taskDataKey: () => gatewayKey(database, 'task-data'),
  database,
  logger: createLogger({ role: 'test' }, { level: 'silent' }),
  counters: createCounters(createMetricsRegistry({ role: 'test' })),
  notifyRunner: () => {},
  notifyGateways: () => {},
  notifyDeliveries: () => {},
  random: Math.random,
  ...others,
});
