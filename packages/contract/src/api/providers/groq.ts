import { openaiListing } from './model-listings.ts';
import { chat } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

export const groq: Provider = {
  name: 'groq',
  displayName: 'Groq',
  baseUrl: 'https://api.groq.com',
  keyHeader: 'authorization',
  endpoints: { '/openai/v1/chat/completions': chat },
  listing: openaiListing('/openai/v1/models'),
};
