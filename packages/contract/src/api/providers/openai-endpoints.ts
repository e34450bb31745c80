// Endpoints that many providers took over from OpenAI.
import type { ProviderEndpoint, TokenPaths } from './provider.ts';

export const chatTokens: TokenPaths = {
  sent: ['usage.prompt_tokens'],
  cached: ['usage.prompt_tokens_details.cached_tokens'],
  received: ['usage.completion_tokens'],
};

/** For a provider whose streams tell their usage unasked, or that refuses a request with `stream_options`. */
export const chatUnasked: ProviderEndpoint = {
  method: 'POST',
  model: 'body',
  streams: { key: 'stream' },
  tokens: chatTokens,
  streamTokens: chatTokens,
};

export const chat: ProviderEndpoint = { ...chatUnasked, asksForUsage: true };

export const responses: ProviderEndpoint = {
  method: 'POST',
  model: 'body',
  streams: { key: 'stream' },
  tokens: {
    sent: ['usage.input_tokens'],
    cached: ['usage.input_tokens_details.cached_tokens'],
    received: ['usage.output_tokens'],
  },
  streamTokens: {
    sent: ['response.usage.input_tokens'],
    cached: ['response.usage.input_tokens_details.cached_tokens'],
    received: ['response.usage.output_tokens'],
  },
};

export const embeddings: ProviderEndpoint = {
  method: 'POST',
  model: 'body',
  tokens: { sent: ['usage.prompt_tokens'] },
};
