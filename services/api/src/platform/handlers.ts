import {
  getChangelog,
  getConfiguration,
  getDiscovery,
  getFeature,
  listFeatures,
  listLocations,
  versions,
} from '@berth/contract';
import { gatewayUrl } from '../config.ts';
import { type Registration, read } from '../http/call.ts';
import { runnersByRegion } from './active-runners.ts';
import { changelog } from './changelog.ts';
import { enabledFeatures, evaluateFeature } from './features.ts';
import { configurationOf, locationOf } from './regions.ts';

export const platformHandlers: readonly Registration[] = [
  read(listLocations, async ({ dependencies, database }) => {
    const runners = await runnersByRegion(database);
    return dependencies.config.regions.map((region) => locationOf(region, runners, dependencies.placement.runcFor));
  }),
  read(getConfiguration, async ({ dependencies, database }) =>
    configurationOf(dependencies.config.regions, await runnersByRegion(database), dependencies.placement.runcFor),
  ),
  read(listFeatures, async (call) => enabledFeatures(call)),
  read(getFeature, async (call) => evaluateFeature(call, call.params.featureKey, call.query.account)),
  read(getDiscovery, async ({ dependencies: { config, apiUrl } }) => ({
    brand: config.brand,
    versions: versions.map(({ name }) => name),
    apiUrl,
    gatewayUrl: gatewayUrl(config),
    logins: ['key'],
  })),
  read(getChangelog, async () => ({ entries: changelog })),
];
