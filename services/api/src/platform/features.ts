// Feature flags of the deployment; they are the same for every workspace and account.
import { type Feature, requestErrors } from '@berth/contract';
import type { z } from 'zod';
import type { Call } from '../http/call.ts';

type FeatureCall = Pick<Call, 'dependencies' | 'principal' | 'accountId'>;

/** Only the enabled flags; the others are left out. */
export const enabledFeatures = ({ dependencies: { config } }: FeatureCall) => ({
  features: Object.fromEntries(Object.entries(config.features).filter(([, enabled]) => enabled)),
});

export function evaluateFeature(call: FeatureCall, key: string, account?: string): z.input<typeof Feature> {
  const { config, now } = call.dependencies;
  if (account !== undefined && !belongsTo(call, account)) throw requestErrors.not_found();
  const enabled = Object.hasOwn(config.features, key) ? config.features[key] : undefined;
  if (enabled === undefined) throw requestErrors.not_found();
  return { featureKey: key, enabled, evaluatedAt: new Date(now()).toISOString() };
}

const belongsTo = ({ principal, accountId }: FeatureCall, account: string): boolean =>
  account === accountId || principal.accounts.some((held) => held.accountId === account);
