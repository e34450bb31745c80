// An orchestrator as a separate process, so that it can be killed. Prints "up" once it serves.
import { randomBytes } from 'node:crypto';
import { ApiConfig } from '@berth/api';
import { masterKeyRing } from '@berth/identity';
import { PlacementConfig } from '@berth/instances';
import { OrchestratorConfig, startOrchestrator } from '@berth/orchestrator';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';

export interface OrchestratorProgram {
  readonly databaseUrl: string;
  readonly restate: { readonly ingressUrl: string; readonly adminUrl: string };
  /** Fixed across restarts, because Restate retries a call at the address where it began. */
  readonly port: number;
}

const program: OrchestratorProgram = JSON.parse(process.argv[2] ?? '{}');
await startOrchestrator({
  databaseUrl: program.databaseUrl,
  // Tests that kill this process have no callbacks, whose secrets it would open.
  masterKeys: masterKeyRing([{ id: 'test', key: randomBytes(32) }]),
  restate: program.restate,
  config: OrchestratorConfig.parse({ port: program.port }),
  placement: PlacementConfig.parse({ sandboxes: { defaultImage: 'example/sandbox:1' }, runcFor: 'everything' }),
  scaling: { requestsPerInstance: 10, idleSeconds: 2, mostInstances: 5 },
  limits: ApiConfig.parse({}),
  brand: conformanceBrand(),
  regions: [{ name: 'local', continent: 'eu', country: 'de' }],
  gatewayUrl: 'https://run.example.org',
  logger: createLogger({ role: 'orchestrator' }, { level: 'silent' }),
  registry: createMetricsRegistry({ role: 'orchestrator' }),
  checkEveryMs: 200,
});
process.stdout.write('up\n');
