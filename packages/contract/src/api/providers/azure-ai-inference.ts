import { chatUnasked, embeddings } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

/** Refuses fields that it does not know, `stream_options` among them, unless `extra-parameters` says otherwise. */
export const azureAiInference: Provider = {
  name: 'azure-ai-inference',
  displayName: 'Azure AI inference',
  vendor: 'azure',
  keyHeader: 'api-key',
  passes: ['extra-parameters'],
  config: {
    BASE_URL: { about: 'address of the resource, such as https://example.services.ai.azure.com' },
    API_VERSION: { about: 'version of the API', fallback: '2024-05-01-preview' },
  },
  query: { 'api-version': '{API_VERSION}' },
  endpoints: { '/models/chat/completions': chatUnasked, '/models/embeddings': embeddings },
};
