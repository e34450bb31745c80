import { chat, embeddings } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

const deployment = '/openai/deployments/{DEPLOYMENT}';

/** No listing: its list has the models that could be deployed, and requests name a deployment. */
export const azureOpenaiService: Provider = {
  name: 'azure-openai-service',
  displayName: 'Azure OpenAI Service',
  vendor: 'azure',
  keyHeader: 'api-key',
  config: {
    BASE_URL: { about: 'address of the resource, such as https://example.openai.azure.com' },
    DEPLOYMENT: { about: 'name of the deployment' },
    // Older versions refuse a request with `stream_options`.
    API_VERSION: { about: 'version of the API, 2024-10-21 or later', fallback: '2024-10-21' },
  },
  query: { 'api-version': '{API_VERSION}' },
  endpoints: {
    [`${deployment}/chat/completions`]: { ...chat, model: 'none' },
    [`${deployment}/embeddings`]: { ...embeddings, model: 'none' },
  },
};
