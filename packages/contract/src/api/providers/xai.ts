import { openaiListing } from './model-listings.ts';
import { chat, chatTokens, responses } from './openai-endpoints.ts';
import type { Provider, TokenPaths } from './provider.ts';

/** Reasoning is not part of `completion_tokens` here. */
const tokens: TokenPaths = {
  ...chatTokens,
  received: ['usage.completion_tokens', 'usage.completion_tokens_details.reasoning_tokens'],
};

export const xai: Provider = {
  name: 'xai',
  displayName: 'xAI',
  baseUrl: 'https://api.x.ai',
  keyHeader: 'authorization',
  // Requests of one conversation find their cached tokens.
  passes: ['x-grok-conv-id'],
  endpoints: {
    '/v1/chat/completions': { ...chat, tokens, streamTokens: tokens },
    '/v1/responses': responses,
  },
  listing: openaiListing('/v1/models'),
};
