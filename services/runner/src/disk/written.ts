// How much an instance has written, as far as it is known, and whether it is worth counting again. Pure. Counting costs; so it
// is done when what the file system has lost since the last time could have carried an instance over its limit.
import type { FreeSpace } from './free-space.ts';

export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

export const nothing: Amount = { bytes: 0, files: 0 };

/** Of one instance. */
export interface Written {
  readonly amount: Amount;
  /** What all had written until then. */
  readonly tideThen: Amount;
  readonly countedAt: number;
  readonly tookMs: number;
}

/** What was taken from the file system in between. Added up it only grows, so that what one frees does not hide what another writes. */
export const lossOf = (before: FreeSpace, now: FreeSpace): Amount => ({
  bytes: Math.max(0, before.freeBytes - now.freeBytes),
  files: Math.max(0, before.freeFiles - now.freeFiles),
});

export const sum = (left: Amount, right: Amount): Amount => ({
  bytes: left.bytes + right.bytes,
  files: left.files + right.files,
});

/** Of each the larger, or the smaller. */
export const most = (left: Amount, right: Amount): Amount => ({
  bytes: Math.max(left.bytes, right.bytes),
  files: Math.max(left.files, right.files),
});

export const least = (left: Amount, right: Amount): Amount => ({
  bytes: Math.min(left.bytes, right.bytes),
  files: Math.min(left.files, right.files),
});

export const difference = (left: Amount, right: Amount): Amount => ({
  bytes: left.bytes - right.bytes,
  files: left.files - right.files,
});

/** Counted again without any reason, for what two looks at the file system do not show. */
const mostAgeMs = 60_000;
/** Of the time between two counts, counting takes this part at most. */
const mostShare = 0.1;
/** Half of what is left, so that the limit is met and not passed by much. */
const shareOfRoom = 0.5;
/** Less than this is not worth a count; logs alone write that much. */
const leastBytes = 1_048_576;
const leastFiles = 100;

export function isDue(written: Written | undefined, tide: Amount, limits: Amount, now: number): boolean {
  if (written === undefined) return true;
  const { amount, tideThen, countedAt, tookMs } = written;
  const ageMs = now - countedAt;
  if (ageMs < tookMs / mostShare) return false;
  if (ageMs > mostAgeMs) return true;
  const room = (limit: number, used: number, least: number): number => Math.max(least, (limit - used) * shareOfRoom);
  return (
    tide.bytes - tideThen.bytes >= room(limits.bytes, amount.bytes, leastBytes) ||
    tide.files - tideThen.files >= room(limits.files, amount.files, leastFiles)
  );
}

/** When the file system is short: whoever may have written since it was counted is counted again, at any cost. */
export const mayHaveGrown = (written: Written | undefined, tide: Amount): boolean =>
  written === undefined ||
  tide.bytes - written.tideThen.bytes >= leastBytes ||
  tide.files - written.tideThen.files >= leastFiles;

const looksMs = { least: 100, most: 1_000 };

/** Until the next look at the file system: a quarter of the time in which, going on like this, it would be short. */
export function nextLookMs(lost: Amount, inMs: number, above: Amount): number {
  const until = (left: number, gone: number): number => (gone <= 0 ? Number.POSITIVE_INFINITY : (left * inMs) / gone);
  const untilShortMs = Math.min(until(above.bytes, lost.bytes), until(above.files, lost.files));
  return Math.min(looksMs.most, Math.max(looksMs.least, untilShortMs / 4));
}
