import * as z from 'zod/mini';
import { noRankingText } from '../../codegen/refuse-ranking.ts';
import { Fault } from '../../http/fault.ts';
import { decimal, text, whole } from '../argument-types.ts';
import { defineTool } from '../tool.ts';

export const codegenRerank = defineTool({
  name: 'codegenRerank',
  description:
    'Would order the files of a folder by meaning. No provider for that is supported yet; use codegenGrepSearch.',
  input: z.strictObject({
    path: text('Folder; absolute, or relative to the working directory.'),
    query: text('What the files should be about.'),
    scoreThreshold: z.nullish(decimal('Least score, 0 to 1; 0.5 when absent.')),
    tokenLimit: z.nullish(whole('Most tokens to look at; 30000 when absent.')),
    filePattern: z.nullish(text('Only files whose path fits this regular expression.')),
  }),
  output: z.object({
    success: z.boolean(),
    message: z.nullish(z.string()),
    files: z.array(z.object({ path: z.string(), content: z.string(), score: z.number() })),
  }),
  isOffered: ({ applyProvider }) => applyProvider !== undefined,
  run: async () => {
    throw new Fault(503, noRankingText);
  },
});
