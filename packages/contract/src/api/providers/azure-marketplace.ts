import { chatUnasked } from './openai-endpoints.ts';
import type { Provider } from './provider.ts';

/** Each endpoint serves one model of another maker, and some of them refuse a request with `stream_options`. */
export const azureMarketplace: Provider = {
  name: 'azure-marketplace',
  displayName: 'Azure Marketplace',
  vendor: 'azure',
  keyHeader: 'authorization',
  config: { BASE_URL: { about: 'address of the endpoint, such as https://example.eastus2.models.ai.azure.com' } },
  endpoints: { '/chat/completions': chatUnasked, '/v1/chat/completions': chatUnasked },
};
