import { openaiListing } from './model-listings.ts';
import { chat } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

export const cerebras: Provider = {
  name: 'cerebras',
  displayName: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai',
  keyHeader: 'authorization',
  endpoints: { '/v1/chat/completions': chat, '/v1/completions': chat },
  listing: openaiListing('/v1/models'),
};
