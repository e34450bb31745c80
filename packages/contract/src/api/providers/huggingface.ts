import { openaiListing } from './model-listings.ts';
import { chat } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

export const huggingface: Provider = {
  name: 'huggingface',
  displayName: 'Hugging Face',
  vendor: 'hugging-face',
  baseUrl: 'https://router.huggingface.co',
  keyHeader: 'authorization',
  organizationHeader: 'x-hf-bill-to',
  endpoints: { '/v1/chat/completions': chat },
  listing: openaiListing('/v1/models'),
};
