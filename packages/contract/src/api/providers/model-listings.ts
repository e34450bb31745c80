// Lists of models in the form of OpenAI.
import type { ModelListing } from './provider.ts';

export const openaiListing = (path: string): ModelListing => ({
  path,
  items: 'data',
  id: 'id',
  author: 'owned_by',
  createdAt: 'created',
});
