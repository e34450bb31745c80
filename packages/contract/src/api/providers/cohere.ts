import type { Provider } from './provider.ts';

export const cohere: Provider = {
  name: 'cohere',
  displayName: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  keyHeader: 'authorization',
  endpoints: {
    '/v2/chat': {
      method: 'POST',
      model: 'body',
      streams: { key: 'stream' },
      tokens: {
        sent: ['usage.tokens.input_tokens'],
        cached: ['usage.cached_tokens'],
        received: ['usage.tokens.output_tokens'],
      },
      streamTokens: {
        sent: ['delta.usage.tokens.input_tokens'],
        cached: ['delta.usage.cached_tokens'],
        received: ['delta.usage.tokens.output_tokens'],
      },
    },
    '/v2/embed': { method: 'POST', model: 'body', tokens: { sent: ['meta.billed_units.input_tokens'] } },
    // Billed by searches; most answers tell no tokens.
    '/v2/rerank': { method: 'POST', model: 'body', tokens: { sent: ['meta.tokens.input_tokens'] } },
  },
  listing: { path: '/v1/models?page_size=1000', items: 'models', id: 'name' },
};
