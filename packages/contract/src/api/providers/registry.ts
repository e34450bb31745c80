// All providers of models. `public_model` and `mcp` of `spec.runtime.type` have none: the first stood for models that the
// service ran itself, the second is an MCP server and no model.
import { anthropic } from './anthropic.ts';
import { azureAiInference } from './azure-ai-inference.ts';
import { azureMarketplace } from './azure-marketplace.ts';
import { azureOpenaiService } from './azure-openai-service.ts';
import { cerebras } from './cerebras.ts';
import { cohere } from './cohere.ts';
import { deepseek } from './deepseek.ts';
import { gemini } from './gemini.ts';
import { groq } from './groq.ts';
import { hfPrivateEndpoint } from './hf-private-endpoint.ts';
import { hfPublicEndpoint } from './hf-public-endpoint.ts';
import { huggingface } from './huggingface.ts';
import { mistral } from './mistral.ts';
import { openai } from './openai.ts';
import type { Provider } from './provider.ts';
import { vertexai } from './vertexai.ts';
import { xai } from './xai.ts';

export const providers: readonly Provider[] = [
  openai,
  anthropic,
  mistral,
  cohere,
  xai,
  deepseek,
  groq,
  cerebras,
  gemini,
  vertexai,
  azureOpenaiService,
  azureAiInference,
  azureMarketplace,
  huggingface,
  hfPublicEndpoint,
  hfPrivateEndpoint,
];

const byName: ReadonlyMap<string, Provider> = new Map(providers.map((provider) => [provider.name, provider]));

/** A key of one provider must not be sent to another. */
export const takesKeysOf = (provider: Provider, other: Provider): boolean =>
  (provider.vendor ?? provider.name) === (other.vendor ?? other.name);

export const findProvider = (name: string): Provider | undefined => byName.get(name);
