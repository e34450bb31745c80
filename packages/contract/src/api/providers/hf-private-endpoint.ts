import { openaiListing } from './model-listings.ts';
import { chat, embeddings } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

/** Also for any server of a customer that speaks OpenAI's API, such as vLLM. */
export const hfPrivateEndpoint: Provider = {
  name: 'hf_private_endpoint',
  displayName: 'Hugging Face private endpoint',
  vendor: 'hugging-face',
  keyHeader: 'authorization',
  config: {
    BASE_URL: { about: 'address of the endpoint without /v1, such as https://example.endpoints.huggingface.cloud' },
  },
  endpoints: {
    '/v1/chat/completions': chat,
    '/v1/completions': chat,
    '/v1/embeddings': embeddings,
  },
  listing: openaiListing('/v1/models'),
};
