// The list of statements (statements.yaml) as data.
import { parse } from 'yaml';
import { z } from 'zod';

const words = z.string().min(1);

const Statement = z.strictObject({
  id: words,
  section: words,
  says: words,
  tests: z.array(words).min(1).optional(),
  waiting: words.optional(),
  /** For a waiting statement: tests that cover the part that exists. */
  partly: z.array(words).min(1).optional(),
  topic: words.optional(),
  notAStatement: words.optional(),
});
export type Statement = z.infer<typeof Statement>;

export const readStatements = (text: string): Statement[] => z.array(Statement).parse(parse(text));
