import { openaiListing } from './model-listings.ts';
import { chat, chatTokens } from './openai-endpoints.ts';
import type { Provider, ProviderEndpoint, TokenPaths } from './provider.ts';

const tokens: TokenPaths = { ...chatTokens, cached: ['usage.prompt_cache_hit_tokens'] };
const endpoint: ProviderEndpoint = { ...chat, tokens, streamTokens: tokens };

export const deepseek: Provider = {
  name: 'deepseek',
  displayName: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyHeader: 'authorization',
  endpoints: { '/chat/completions': endpoint, '/v1/chat/completions': endpoint },
  listing: openaiListing('/models'),
};
