import { openaiListing } from './model-listings.ts';
import { chat, embeddings, responses } from './openai-endpoints.ts';
import type { Provider, TokenPaths } from './provider.ts';

const imageTokens: TokenPaths = {
  sent: ['usage.input_tokens'],
  cached: ['usage.input_tokens_details.cached_tokens'],
  received: ['usage.output_tokens'],
};

/**
 * Without the endpoints for sound: transcriptions are forms, in which the model is not checked, and the answers of speech
 * are sound, which tells no tokens.
 */
export const openai: Provider = {
  name: 'openai',
  displayName: 'OpenAI',
  baseUrl: 'https://api.openai.com',
  keyHeader: 'authorization',
  passes: ['openai-beta'],
  organizationHeader: 'openai-organization',
  endpoints: {
    '/v1/chat/completions': chat,
    '/v1/responses': responses,
    '/v1/completions': chat,
    '/v1/embeddings': embeddings,
    '/v1/images/generations': {
      method: 'POST',
      model: 'body',
      streams: { key: 'stream' },
      tokens: imageTokens,
      streamTokens: imageTokens,
    },
    '/v1/moderations': { method: 'POST', model: 'body' },
  },
  listing: openaiListing('/v1/models'),
};
