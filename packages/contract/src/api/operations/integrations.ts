// Control-plane sheet 1.15.
import { z } from 'zod';
import { member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Integration, IntegrationEndpoint, IntegrationModel } from '../schema/integration.ts';
import { WorkspaceQuery } from '../schema/query.ts';

export const getIntegration = defineOperation({
  ...at('/integrations/{integrationName}'),
  id: 'getIntegration',
  method: 'GET',
  tag: 'Integrations',
  summary: 'Describe a provider',
  access: member('integrations:list'),
  query: WorkspaceQuery,
  answer: Integration,
});

export const listConnectionEndpoints = defineOperation({
  ...at('/integrations/connections/{connectionName}/endpointConfigurations'),
  id: 'listConnectionEndpoints',
  method: 'GET',
  tag: 'Integrations',
  summary: 'List the endpoints that models of a connection may use',
  access: member('integrations:list'),
  query: WorkspaceQuery,
  answer: z.record(z.string(), IntegrationEndpoint).meta({ id: 'EndpointConfigurations' }),
});

const models = '/integrations/connections/{connectionName}/models';

export const listConnectionModels = defineOperation({
  ...at(models),
  id: 'listConnectionModels',
  method: 'GET',
  tag: 'Integrations',
  summary: 'List the models that the provider offers to a connection',
  access: member('integrations:list'),
  query: WorkspaceQuery,
  answer: z.array(IntegrationModel),
});

export const getConnectionModel = defineOperation({
  ...at(`${models}/{modelId}`),
  id: 'getConnectionModel',
  method: 'GET',
  tag: 'Integrations',
  summary: 'Describe a model that the provider offers to a connection',
  access: member('integrations:get'),
  query: WorkspaceQuery,
  answer: IntegrationModel,
});
