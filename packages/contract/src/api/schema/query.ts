// Query parameters arrive as text; `queryType` in the metadata gives OpenAPI and the fuzzer their actual type.
import { z } from 'zod';

declare module 'zod' {
  interface GlobalMeta {
    queryType?: 'integer' | 'boolean';
  }
}

export const QueryBoolean = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ queryType: 'boolean' });

/** Form of an answer that is a table; JSON when left out. */
export const AnswerFormat = z.enum(['json', 'csv']);

/** A whole number of at least `min`; larger than `clampTo` becomes `clampTo`. */
export const queryInteger = ({ min, clampTo }: { readonly min: number; readonly clampTo: number }) =>
  z
    .string()
    // Accepts any length: a number too large to represent is clamped like any other.
    .regex(/^-?\d+$/, 'a whole number')
    .transform(Number)
    .refine((value) => value >= min, `at least ${min}`)
    .transform((value) => Math.min(value, clampTo))
    .meta({ queryType: 'integer', minimum: min });

export const Sort = z.enum(['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc']);
export type Sort = z.infer<typeof Sort>;

/** The workspace may be chosen by query on every workspace operation. */
export const WorkspaceQuery = z.object({ workspace: z.string().max(64).optional() });

export const pageQuery = {
  cursor: z.string().min(1).max(2048).optional(),
  limit: queryInteger({ min: 1, clampTo: 200 }).optional(),
  sort: Sort.optional(),
  q: z.string().max(200).optional(),
  anchor: z.enum(['end']).optional(),
};

export const shortPageQuery = {
  cursor: pageQuery.cursor,
  limit: queryInteger({ min: 1, clampTo: 100 }).optional(),
  sort: pageQuery.sort,
  q: pageQuery.q,
};

/** Comma-separated values of `allowed` in any case; an unknown one is refused. */
export const statusQuery = (allowed: readonly string[]) =>
  z
    .string()
    .max(512)
    .transform((text) => [
      ...new Set(
        text
          .split(',')
          .map((part) => part.trim().toLowerCase())
          .filter((part) => part !== ''),
      ),
    ])
    .refine(
      (asked) => asked.every((status) => allowed.some((known) => known.toLowerCase() === status)),
      `statuses: ${allowed.join(', ')}`,
    )
    .transform((asked) => allowed.filter((known) => asked.includes(known.toLowerCase())))
    .optional();
