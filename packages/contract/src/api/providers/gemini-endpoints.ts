// Endpoints that Gemini and Vertex AI share.
import type { ProviderEndpoint, TokenPaths } from './provider.ts';

const tokens: TokenPaths = {
  sent: ['usageMetadata.promptTokenCount', 'usageMetadata.toolUsePromptTokenCount'],
  cached: ['usageMetadata.cachedContentTokenCount'],
  received: ['usageMetadata.candidatesTokenCount', 'usageMetadata.thoughtsTokenCount'],
};

/** `models` is the path of the collection. */
export const generateEndpoints = (models: string): Record<string, ProviderEndpoint> => ({
  [`${models}/{model}:generateContent`]: { method: 'POST', model: 'path', tokens },
  // Events with `alt=sse` in the query. Without it the answer is one JSON array of the same objects.
  [`${models}/{model}:streamGenerateContent`]: {
    method: 'POST',
    model: 'path',
    streams: 'path',
    streamTokens: tokens,
  },
});
