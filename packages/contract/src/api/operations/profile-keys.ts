// The caller's own keys; control-plane sheet 1.3.
import { z } from 'zod';
import { anyCaller } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { ApiKey, ApiKeyInput, ApiKeyWithValue } from '../schema/api-key.ts';
import { NoAnswer } from '../schema/shared.ts';

const tag = 'Profile';
const none = z.object({});

export const listProfileKeys = defineOperation({
  ...at('/profile/api_keys'),
  id: 'listProfileKeys',
  method: 'GET',
  tag,
  summary: "List the caller's API keys",
  access: anyCaller('apiKey:list'),
  query: none,
  answer: z.array(ApiKey),
});

export const createProfileKey = defineOperation({
  ...at('/profile/api_keys'),
  id: 'createProfileKey',
  method: 'POST',
  tag,
  summary: 'Create an API key for the caller; its value is shown once',
  access: anyCaller('apiKey:write'),
  query: none,
  body: ApiKeyInput,
  answer: ApiKeyWithValue,
  audit: 'api-key.create',
  secretAnswer: true,
});

export const deleteProfileKey = defineOperation({
  ...at('/profile/api_keys/{apiKeyId}'),
  id: 'deleteProfileKey',
  method: 'DELETE',
  tag,
  summary: "Revoke one of the caller's API keys",
  access: anyCaller('apiKey:write'),
  query: none,
  answer: NoAnswer,
  audit: 'api-key.revoke',
});
