import * as z from 'zod/mini';
import { listOf, text } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenCodebaseSearch = defineTool({
  name: 'codegenCodebaseSearch',
  description:
    'Search by meaning. This sandbox has no index of meanings, so it finds nothing: use codegenGrepSearch for text or codegenFileSearch for names.',
  input: z.strictObject({
    query: text('What to look for.'),
    targetDirectories: z.nullish(listOf(z.string(), 'Folders to look in.')),
  }),
  output: z.object({ success: z.boolean(), results: z.array(z.string()), query: z.string() }),
  run: async ({ query }) => ({ success: true, results: [], query }),
});
