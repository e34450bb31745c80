// Kinds that are stored but not run by any engine yet.
import type { FieldEffect } from './effect.ts';

const noApplications =
  'applications do not run yet: nothing answers at their address. Use an agent or a sandbox with a preview.';
const noModels = 'requests to models are not served yet. Call the provider from the workload.';

export const applicationEffects: readonly FieldEffect[] = [
  {
    effect: 'warned',
    paths: ['enabled', 'envs', 'extensions', 'image', 'memory', 'port', 'proxy', 'region', 'revision', 'urls'],
    reason: noApplications,
  },
];

export const modelEffects: readonly FieldEffect[] = [
  {
    effect: 'refused',
    paths: ['policies'],
    reason: 'requests to models are not served yet, so no policy could be kept to. Leave it out.',
  },
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
