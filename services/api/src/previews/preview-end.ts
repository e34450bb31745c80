// End of a preview by its own rules (`ttl`, `expires`): the earlier of the two.
import { durationSeconds } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { textOf } from '../rules/spec-fields.ts';

/** Undefined when no rule ends the preview. */
export function previewEndsAtMs({ ttl, expires }: JsonObject, createdAtMs: number): number | undefined {
  const seconds = durationSeconds(textOf(ttl) ?? '');
  const ends = [
    seconds === undefined ? Number.NaN : createdAtMs + seconds * 1_000,
    Date.parse(textOf(expires) ?? ''),
  ].filter((end) => !Number.isNaN(end));
  return ends.length === 0 ? undefined : Math.min(...ends);
}
