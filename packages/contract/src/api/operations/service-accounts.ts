// Service accounts and their keys; control-plane sheet 1.3.
import { z } from 'zod';
import { admin, member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { ApiKey, ApiKeyInput, ApiKeyWithValue } from '../schema/api-key.ts';
import { ServiceAccount, ServiceAccountWithSecret } from '../schema/people.ts';
import { WorkspaceQuery } from '../schema/query.ts';
import { NoAnswer } from '../schema/shared.ts';
import { Text } from '../schema/text.ts';
import { Role } from '../schema/workspace.ts';

const tag = 'Service accounts';
const name = z.string().min(1).max(128);

export const listServiceAccounts = defineOperation({
  ...at('/service_accounts'),
  id: 'listServiceAccounts',
  method: 'GET',
  tag,
  summary: 'List the service accounts of the workspace',
  access: member('workspaces:get'),
  query: WorkspaceQuery,
  answer: z.array(ServiceAccount),
});

export const createServiceAccount = defineOperation({
  ...at('/service_accounts'),
  id: 'createServiceAccount',
  method: 'POST',
  tag,
  summary: 'Create a service account; its secret is shown once',
  access: admin('workspaces:update'),
  query: WorkspaceQuery,
  body: z.object({ name, description: Text.optional(), role: Role.default('member') }),
  answer: ServiceAccountWithSecret,
  audit: 'service-account.create',
  secretAnswer: true,
});

export const updateServiceAccount = defineOperation({
  ...at('/service_accounts/{clientId}'),
  id: 'updateServiceAccount',
  method: 'PUT',
  tag,
  summary: 'Change a service account',
  access: admin('workspaces:update'),
  query: WorkspaceQuery,
  body: z.object({ name: name.optional(), description: Text.optional(), role: Role.optional() }),
  answer: ServiceAccount,
  audit: 'service-account.update',
});

export const deleteServiceAccount = defineOperation({
  ...at('/service_accounts/{clientId}'),
  id: 'deleteServiceAccount',
  method: 'DELETE',
  tag,
  summary: 'Delete a service account and its credentials',
  access: admin('workspaces:update'),
  query: WorkspaceQuery,
  answer: ServiceAccount,
  audit: 'service-account.delete',
});

export const listServiceAccountKeys = defineOperation({
  ...at('/service_accounts/{clientId}/api_keys'),
  id: 'listServiceAccountKeys',
  method: 'GET',
  tag,
  summary: 'List the API keys of a service account',
  access: member('apiKey:list'),
  query: WorkspaceQuery,
  answer: z.array(ApiKey),
});

export const createServiceAccountKey = defineOperation({
  ...at('/service_accounts/{clientId}/api_keys'),
  id: 'createServiceAccountKey',
  method: 'POST',
  tag,
  summary: 'Create an API key for a service account; its value is shown once',
  access: admin('apiKey:write'),
  query: WorkspaceQuery,
  body: ApiKeyInput,
  answer: ApiKeyWithValue,
  audit: 'api-key.create',
  secretAnswer: true,
});

export const deleteServiceAccountKey = defineOperation({
  ...at('/service_accounts/{clientId}/api_keys/{apiKeyId}'),
  id: 'deleteServiceAccountKey',
  method: 'DELETE',
  tag,
  summary: 'Revoke an API key of a service account',
  access: admin('apiKey:write'),
  query: WorkspaceQuery,
  answer: NoAnswer,
  audit: 'api-key.revoke',
});
