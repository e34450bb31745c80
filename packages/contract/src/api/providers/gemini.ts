import { generateEndpoints } from './gemini-endpoints.ts';
import { chat } from './openai-endpoints.ts';
import type { Provider, ProviderEndpoint } from './provider.ts';

const embed: ProviderEndpoint = {
  method: 'POST',
  model: 'path',
  tokens: { sent: ['usageMetadata.promptTokenCount'] },
};

export const gemini: Provider = {
  name: 'gemini',
  displayName: 'Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com',
  keyHeader: 'x-goog-api-key',
  endpoints: {
    ...generateEndpoints('/v1beta/models'),
    '/v1beta/models/{model}:embedContent': embed,
    '/v1beta/models/{model}:batchEmbedContents': embed,
    '/v1beta/models/{model}:countTokens': { method: 'POST', model: 'path' },
    '/v1beta/openai/chat/completions': { ...chat, keyHeader: 'authorization' },
  },
  listing: {
    path: '/v1beta/models?pageSize=1000',
    items: 'models',
    id: 'name',
    idPrefix: 'models/',
    name: 'displayName',
  },
};
