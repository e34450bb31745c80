import { huggingface } from './huggingface.ts';
import type { Provider } from './provider.ts';

export const hfPublicEndpoint: Provider = {
  ...huggingface,
  name: 'hf_public_endpoint',
  displayName: 'Hugging Face public endpoint',
  vendor: 'hugging-face',
};
