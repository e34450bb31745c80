// A sealed cursor of metrics holds the query it belongs to, the position, and what all pages share: the end of the time
// they are about, and the totals.
import { createHash } from 'node:crypto';
import { requestErrors } from '@berth/contract';
import { SealError, seal, unseal } from '@berth/identity';
import { z } from 'zod';

const Whole = z
  .string()
  .regex(/^-?\d{1,40}$/)
  .transform(BigInt);

const Content = z.object({
  query: z.string(),
  issuedAtMs: z.number(),
  untilMs: z.number(),
  total: z.object({ micro: Whole, pico: Whole }),
  after: z.object({ pico: Whole, key: z.array(z.string()) }),
});

/** What the next page needs from the pages before it. */
export interface MetricsWalk {
  readonly untilMs: number;
  readonly total: { readonly micro: bigint; readonly pico: bigint };
  readonly after: { readonly pico: bigint; readonly key: readonly string[] };
}

const context = 'metrics cursor';
const lifetimeMs = 24 * 60 * 60 * 1000;

interface Bound {
  /** Everything that the cursor is bound to. */
  readonly query: object;
  readonly nowMs: number;
}

const fingerprint = (query: object): string => createHash('sha256').update(JSON.stringify(query)).digest('base64url');

export function writeMetricsCursor(key: Buffer, { query, nowMs }: Bound, walk: MetricsWalk): string {
  const content = { ...walk, query: fingerprint(query), issuedAtMs: nowMs };
  const text = JSON.stringify(content, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
  return seal(key, text, context);
}

export function readMetricsCursor(key: Buffer, { query, nowMs }: Bound, cursor: string): MetricsWalk {
  const content = Content.safeParse(open(key, cursor));
  if (!content.success) throw requestErrors.invalid_cursor();
  const { query: boundTo, issuedAtMs, ...walk } = content.data;
  if (boundTo !== fingerprint(query) || nowMs - issuedAtMs > lifetimeMs) throw requestErrors.invalid_cursor();
  return walk;
}

function open(key: Buffer, cursor: string): unknown {
  try {
    return JSON.parse(unseal(key, cursor, context));
  } catch (error) {
    if (error instanceof SealError) throw requestErrors.invalid_cursor({}, error);
    throw error;
  }
}
