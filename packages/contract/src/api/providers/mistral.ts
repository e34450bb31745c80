import { openaiListing } from './model-listings.ts';
import { chatUnasked, embeddings } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

/** Its streams end with their usage; a request with `stream_options.include_usage` is refused with 422. */
export const mistral: Provider = {
  name: 'mistral',
  displayName: 'Mistral',
  baseUrl: 'https://api.mistral.ai',
  keyHeader: 'authorization',
  endpoints: {
    '/v1/chat/completions': chatUnasked,
    '/v1/fim/completions': chatUnasked,
    '/v1/embeddings': embeddings,
  },
  listing: { ...openaiListing('/v1/models'), name: 'name' },
};
