import type { Provider } from './provider.ts';

const sentIn = (usage: string): string[] => [
  `${usage}.input_tokens`,
  `${usage}.cache_read_input_tokens`,
  `${usage}.cache_creation_input_tokens`,
];
const cachedIn = (usage: string): string[] => [`${usage}.cache_read_input_tokens`];
const received = ['usage.output_tokens'];

export const anthropic: Provider = {
  name: 'anthropic',
  displayName: 'Anthropic',
  baseUrl: 'https://api.anthropic.com',
  keyHeader: 'x-api-key',
  passes: ['anthropic-version', 'anthropic-beta'],
  headers: { 'anthropic-version': '2023-06-01' },
  endpoints: {
    '/v1/messages': {
      method: 'POST',
      model: 'body',
      streams: { key: 'stream' },
      tokens: { sent: sentIn('usage'), cached: cachedIn('usage'), received },
      // The first event has them below `message`. The last one tells them again where tools of the provider added to them.
      streamTokens: {
        sent: [...sentIn('message.usage'), ...sentIn('usage')],
        cached: [...cachedIn('message.usage'), ...cachedIn('usage')],
        received,
      },
    },
    '/v1/messages/count_tokens': { method: 'POST', model: 'body' },
  },
  listing: {
    path: '/v1/models?limit=1000',
    items: 'data',
    id: 'id',
    name: 'display_name',
    createdAt: 'created_at',
  },
};
