// A sealed cursor holds the position in a listing, the query it belongs to and its time of issue. Clients can neither
// forge nor change one.
import { requestErrors } from '@berth/contract';
import { SealError, seal, unseal } from '@berth/identity';
import { z } from 'zod';

const Position = z.tuple([z.string(), z.string()]);
const Content = z.object({ query: z.string(), issuedAtMs: z.number(), after: Position });

/** Sort key and tie-breaker of the last item returned. */
export type Position = z.infer<typeof Position>;

const context = 'listing cursor';
const lifetimeMs = 24 * 60 * 60 * 1000;

interface Query {
  /** Everything that the cursor is bound to: workspace, kind, filters, sort. */
  readonly fingerprint: string;
  readonly nowMs: number;
}

export function writeCursor(key: Buffer, { fingerprint, nowMs }: Query, after: Position): string {
  return seal(key, JSON.stringify({ query: fingerprint, issuedAtMs: nowMs, after }), context);
}

export function readCursor(key: Buffer, { fingerprint, nowMs }: Query, cursor: string): Position {
  const content = Content.safeParse(open(key, cursor));
  if (!content.success) throw requestErrors.invalid_cursor();
  const { query, issuedAtMs, after } = content.data;
  if (query !== fingerprint || nowMs - issuedAtMs > lifetimeMs) throw requestErrors.invalid_cursor();
  return after;
}

function open(key: Buffer, cursor: string): unknown {
  try {
    return JSON.parse(unseal(key, cursor, context));
  } catch (error) {
    if (error instanceof SealError) throw requestErrors.invalid_cursor({}, error);
    throw error;
  }
}
