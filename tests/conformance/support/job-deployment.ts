// A deployment that runs jobs: an api, an orchestrator with its Restate, a gateway, and a stand-in runner that is joined
// by the node protocol.
import { PlacementConfig } from '@berth/instances';
import { OrchestratorConfig, startOrchestrator } from '@berth/orchestrator';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { startTestRestate } from '../../../engines/test-restate.ts';
import { ApiWithMachines } from '../../../services/api/test/nodes/api-with-machines.ts';
import { directConnector } from '../../../services/gateway/test/proxy-fixture.ts';
import { startTestGateway } from '../../../services/gateway/test/test-gateway.ts';
import { conformanceBrand } from '../../harness/conformance-brand.ts';
import type { TestApi } from '../../harness/test-api.ts';
import { StandInRunner } from './stand-in-runner.ts';

export interface JobDeployment extends AsyncDisposable {
  readonly api: TestApi;
  readonly runner: StandInRunner;
  /** Address at which tasks read their arguments. */
  readonly gatewayUrl: string;
}

/** Memory of the only runner that tasks may use together. */
export const taskMemoryMb = 4_000;
const memoryShare = 0.8;

export async function startJobDeployment(): Promise<JobDeployment> {
  await using made = new AsyncDisposableStack();
  const [machines, restate] = await Promise.all([ApiWithMachines.start(), startTestRestate()]);
  made.use(restate);
  made.use(machines);
  const { api } = machines;
  // No task connects to a workload, so the gateway needs no instance behind it.
  const gateway = made.use(await startTestGateway({ api, database: api.database }, directConnector(1)));
  const runner = made.use(await StandInRunner.start(await machines.join(), taskMemoryMb / memoryShare));
  const orchestrator = await startOrchestrator({
    config: OrchestratorConfig.parse({ port: 0, callbacks: { allowedRanges: ['127.0.0.0/8'] } }),
    placement: PlacementConfig.parse({ runcFor: 'everything', jobs: { memoryShare } }),
    scaling: { requestsPerInstance: 10, idleSeconds: 60, mostInstances: 5 },
    limits: { limits: {}, tiers: {} },
    brand: conformanceBrand(),
    regions: [{ name: 'local', continent: 'eu', country: 'de' }],
    gatewayUrl: gateway.url,
    masterKeys: api.masterKeys,
    databaseUrl: api.databaseUrl,
    restate,
    logger: createLogger({ role: 'orchestrator' }, { level: 'silent' }),
    registry: createMetricsRegistry({ role: 'orchestrator' }),
  });
  made.defer(() => orchestrator.stop());
  const kept = made.move();
  return { api, runner, gatewayUrl: gateway.url, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
