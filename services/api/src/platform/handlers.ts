import { getChangelog, getConfiguration, getFeature, listFeatures, listLocations } from '@berth/contract';
import { type Registration, read } from '../http/call.ts';
import { changelog } from './changelog.ts';
import { enabledFeatures, evaluateFeature } from './features.ts';
import { configurationOf, locationOf } from './regions.ts';

export const platformHandlers: readonly Registration[] = [
  read(listLocations, async ({ dependencies }) => dependencies.config.regions.map(locationOf)),
  read(getConfiguration, async ({ dependencies }) => configurationOf(dependencies.config.regions)),
  read(listFeatures, async (call) => enabledFeatures(call)),
  read(getFeature, async (call) => evaluateFeature(call, call.params.featureKey, call.query.account)),
  read(getChangelog, async () => ({ entries: changelog })),
];
