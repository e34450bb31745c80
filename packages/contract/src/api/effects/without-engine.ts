// Kinds that are stored but not run by any engine yet.
import type { FieldEffect } from './effect.ts';

const noApplications =
  'applications do not run yet: nothing answers at their address. Use an agent or a sandbox with a preview.';

export const applicationEffects: readonly FieldEffect[] = [
  {
    effect: 'warned',
    paths: ['enabled', 'envs', 'extensions', 'image', 'memory', 'port', 'proxy', 'region', 'revision', 'urls'],
    reason: noApplications,
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
