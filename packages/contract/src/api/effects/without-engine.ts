// Kinds that are stored but not run by any engine yet.
import { enforced, type FieldEffect } from './effect.ts';

const noPolicy = (what: string) =>
  ({
    effect: 'refused',
    paths: ['policies'],
    reason: `${what}, so no policy could be kept to. Leave it out.`,
  }) as const;

const noApplications =
  'applications do not run yet: nothing answers at their address. Use an agent or a sandbox with a preview.';
const noJobs = 'jobs do not run yet: executions are stored as queued and nothing starts them.';
const noModels = 'requests to models are not served yet. Call the provider from the workload.';

export const applicationEffects: readonly FieldEffect[] = [
  {
    effect: 'warned',
    paths: ['enabled', 'envs', 'extensions', 'image', 'memory', 'port', 'proxy', 'region', 'revision', 'urls'],
    reason: noApplications,
  },
];

export const jobEffects: readonly FieldEffect[] = [
  enforced('services/api/test/executions.test.ts: a job that is not enabled is refused with what to do', 'enabled'),
  noPolicy('jobs do not run yet'),
  {
    effect: 'warned',
    paths: ['githubRunner', 'region', 'revision', 'runtime', 'triggers', 'volumes'],
    reason: noJobs,
  },
];

export const modelEffects: readonly FieldEffect[] = [
  noPolicy('requests to models are not served yet'),
  {
    effect: 'warned',
    paths: ['enabled', 'flavors', 'integrationConnections', 'runtime', 'sandbox'],
    // `sandbox: false` requests no test credentials, so it needs no warning.
    harmless: [false],
    reason: noModels,
  },
];

const storage = { effect: 'waits', reason: 'This deployment has no storage yet; the status stays DEPLOYING.' } as const;

export const driveEffects: readonly FieldEffect[] = [{ ...storage, paths: ['region', 'size', 'permissions'] }];
export const volumeEffects: readonly FieldEffect[] = [{ ...storage, paths: ['region', 'size', 'template'] }];

export const egressIpEffects: readonly FieldEffect[] = [
  {
    effect: 'waits',
    paths: ['ipFamily'],
    reason: 'An address is reserved, and no runner sends traffic from it yet; the status stays DEPLOYING.',
  },
];
