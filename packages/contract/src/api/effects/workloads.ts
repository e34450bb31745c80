// Fields of agents and functions, the workloads that run and scale.
import { enforced, type FieldEffect } from './effect.ts';

const placement = 'packages/instances/src/spec/workload-instance.test.ts';
const scaling = 'services/orchestrator/test/scaling.test.ts';
const notes = 'services/api/test/field-effects.test.ts: notes are kept as they came and promise nothing else';

const shared: readonly FieldEffect[] = [
  enforced('tests/e2e/deploy.test.ts: deactivate stops it, activate brings it back', 'enabled'),
  enforced(
    'services/orchestrator/test/references.test.ts: a workload waits where its policies leave no region, and runs once one of them allows it',
    'policies',
  ),
  enforced('tests/e2e/inference.test.ts: a public agent asks for no credential', 'public'),
  enforced(
    'services/api/test/regions-and-addresses.test.ts: a workload that is pinned elsewhere moves its address',
    'region',
  ),
  enforced(
    'services/orchestrator/src/deployments/scenarios.test.ts: a canary runs beside the target, and takes over without a gap when it is chosen',
    'revision.active',
    'revision.canary',
    'revision.canaryPercent',
  ),
  enforced(
    'services/gateway/src/access/sticky-cookie.test.ts: a client that comes back is met by its revision until the time is over',
    'revision.stickySessionTtl',
  ),
  enforced(
    `${placement}: the environment has platform variables first, then connections, then the workload’s own, then HOST and PORT`,
    'runtime.envs',
  ),
  enforced(
    'packages/instances/src/place/place.test.ts: a pressed runner with gVisor does not make an instance fall back to runc',
    'runtime.generation',
  ),
  enforced(
    'services/api/test/workload-images.test.ts: a registered name is accepted in its workspace, by its tag alone',
    'runtime.image',
  ),
  enforced(
    `${scaling}: gateways add up, maxScale caps, and a gateway that died is forgotten when its word expires`,
    'runtime.maxScale',
  ),
  enforced('tests/e2e/deploy.test.ts: minScale instances run', 'runtime.minScale'),
  enforced('tests/e2e/deploy.test.ts: out of memory is named as such', 'runtime.memory'),
  {
    effect: 'warned',
    paths: ['revision.traffic'],
    reason:
      'a new revision takes all traffic, or none where spec.revision.active names another. Use canary and canaryPercent.',
  },
];

const paths = 'services/gateway/test/trigger-paths.test.ts';
const calls = 'services/gateway/test/invocations.test.ts';

const pathEffects: readonly FieldEffect[] = [
  enforced(
    `${paths}: the path of a trigger is another address of its workload, which sees the rest of the path`,
    'triggers[].id',
    'triggers[].configuration.path',
  ),
  enforced(
    `${paths}: a public path is open and everything else stays closed`,
    'triggers[].configuration.authenticationType',
  ),
  enforced(
    `${paths}: a path that is switched off, moved or removed answers at its new place alone`,
    'triggers[].enabled',
  ),
];

export const agentEffects: readonly FieldEffect[] = [
  ...shared,
  ...pathEffects,
  enforced(
    `${calls}: a call is accepted at once and performed with the settings of its trigger`,
    'triggers[].configuration.retry',
    'triggers[].configuration.timeout',
    'triggers[].configuration.callbackUrl',
  ),
  {
    effect: 'warned',
    paths: ['triggers[].type'],
    harmless: ['http', 'http-async'],
    reason: 'only triggers of type http and http-async call an agent. Use a job for schedules.',
  },
  {
    effect: 'warned',
    paths: ['triggers[].configuration.schedule', 'triggers[].configuration.tasks'],
    reason: 'an agent runs nothing by schedule and has no tasks. Use a job.',
  },
  enforced(notes, 'repository'),
  {
    effect: 'warned',
    paths: ['volumes'],
    reason:
      'this deployment has no storage for volumes, so nothing is mounted and what is written there is lost with the instance.',
  },
];

export const functionEffects: readonly FieldEffect[] = [
  ...shared,
  ...pathEffects,
  {
    effect: 'warned',
    paths: ['triggers[].type'],
    harmless: ['http'],
    reason: 'only triggers of type http call a function. Use an agent for asynchronous calls, and a job for schedules.',
  },
  {
    effect: 'warned',
    paths: [
      'triggers[].configuration.retry',
      'triggers[].configuration.timeout',
      'triggers[].configuration.callbackUrl',
      'triggers[].configuration.schedule',
      'triggers[].configuration.tasks',
    ],
    reason:
      'a function is called by requests and answers them itself. Use an agent for asynchronous calls, and a job for schedules.',
  },
  enforced(
    "services/orchestrator/test/references.test.ts: a function gets its connections' values, and secrets stay sealed for whom they were written to",
    'integrationConnections',
  ),
  enforced(`${placement}: the port is the first declared port, else PORT, else 80`, 'runtime.ports[].target'),
  enforced(notes, 'runtime.ports[].name', 'runtime.type', 'type'),
  {
    effect: 'warned',
    paths: ['runtime.ports[].protocol'],
    harmless: ['HTTP'],
    reason: 'functions are reached over HTTP and WebSocket only.',
  },
  {
    effect: 'warned',
    paths: ['runtime.transport'],
    harmless: ['http-stream'],
    reason: 'the platform neither starts nor translates a transport. The server itself decides which one it speaks.',
  },
];
