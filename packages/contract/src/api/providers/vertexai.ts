import { generateEndpoints } from './gemini-endpoints.ts';
import type { Provider } from './provider.ts';

export const vertexai: Provider = {
  name: 'vertexai',
  displayName: 'Vertex AI',
  keyHeader: 'authorization',
  config: {
    BASE_URL: { about: 'address of the region, such as https://europe-west4-aiplatform.googleapis.com' },
    PROJECT: { about: 'id of the project' },
    LOCATION: { about: 'region of the models, such as europe-west4' },
  },
  endpoints: generateEndpoints('/v1/projects/{PROJECT}/locations/{LOCATION}/publishers/google/models'),
  unserved:
    'Vertex AI takes signed tokens that expire within an hour, and none are made here. Use a model of the type gemini with an API key.',
};
