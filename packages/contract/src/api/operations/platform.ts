// Configuration and features of the deployment; control-plane sheet 1.17.
import { z } from 'zod';
import { anyCaller, member, publicAccess } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Changelog, Configuration, Discovery, Feature, Features, Location } from '../schema/platform.ts';
import { WorkspaceQuery } from '../schema/query.ts';

const tag = 'Platform';
const none = z.object({});

/** Our own addition: what a client has to know before its first request. */
export const getDiscovery = defineOperation({
  ...at('/.well-known/berth'),
  id: 'getDiscovery',
  base: 'api_url',
  method: 'GET',
  tag,
  summary: 'Read the addresses, the brand and the versions of this deployment',
  access: publicAccess,
  query: none,
  answer: Discovery,
  isAddition: true,
});

export const getConfiguration = defineOperation({
  ...at('/configuration'),
  id: 'getConfiguration',
  method: 'GET',
  tag,
  summary: 'Read the regions and locations of this deployment',
  access: anyCaller('configurations:list'),
  query: none,
  answer: Configuration,
});

export const listLocations = defineOperation({
  ...at('/locations'),
  id: 'listLocations',
  method: 'GET',
  tag,
  summary: 'List the locations with their health',
  access: anyCaller('locations:list'),
  query: none,
  answer: z.array(Location),
});

export const listFeatures = defineOperation({
  ...at('/features'),
  id: 'listFeatures',
  method: 'GET',
  tag,
  summary: 'List the features that are on for the workspace',
  access: member('featureFlags:list'),
  query: WorkspaceQuery,
  answer: Features,
});

export const getFeature = defineOperation({
  ...at('/features/{featureKey}'),
  id: 'getFeature',
  method: 'GET',
  tag,
  summary: 'Ask whether one feature is on',
  access: member('featureFlags:get'),
  query: WorkspaceQuery.extend({ account: z.string().max(64).optional() }),
  answer: Feature,
});

export const getChangelog = defineOperation({
  ...at('/changelog'),
  id: 'getChangelog',
  method: 'GET',
  tag,
  summary: 'Read the news of this deployment',
  access: publicAccess,
  query: none,
  answer: Changelog,
});
