// Known writes of an instance, and when to count again. Pure. Counting is expensive, so it happens when the file
// system's loss since the last count could have carried the instance over its limit.
import type { FreeSpace } from './free-space.ts';

export interface Amount {
  readonly bytes: number;
  readonly files: number;
}

export const nothing: Amount = { bytes: 0, files: 0 };

/** Last count of one instance. */
export interface Written {
  readonly amount: Amount;
  /** Total loss of the file system when the count began. */
  readonly tideThen: Amount;
  readonly countedAt: number;
  readonly tookMs: number;
}

/**
 * Loss between two measurements, never negative: its sum only grows, so a removal does not hide another instance's
 * writes.
 */
export const lossOf = (before: FreeSpace, now: FreeSpace): Amount => ({
  bytes: Math.max(0, before.freeBytes - now.freeBytes),
  files: Math.max(0, before.freeFiles - now.freeFiles),
});

export const sum = (left: Amount, right: Amount): Amount => ({
  bytes: left.bytes + right.bytes,
  files: left.files + right.files,
});

/** Larger or smaller of both, for bytes and files separately. */
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

/** Every instance is counted again after this time, for changes that the free space does not show. */
const mostAgeMs = 60_000;
/** Counting takes at most this part of the time between two counts. */
const mostShare = 0.1;
/**
 * Part of an instance's remaining room that may be lost before it is counted again, so that it exceeds its limit by
 * little.
 */
const shareOfRoom = 0.5;
/** Smaller losses are not worth a count; logs alone write that much. */
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

/**
 * When the file system is short: an instance that may have written since its last count is counted again, at any cost.
 */
export const mayHaveGrown = (written: Written | undefined, tide: Amount): boolean =>
  written === undefined ||
  tide.bytes - written.tideThen.bytes >= leastBytes ||
  tide.files - written.tideThen.files >= leastFiles;

const looksMs = { least: 100, most: 1_000 };

/** Pause before the next look at the file system: a quarter of the time until it is short at the current rate. */
export function nextLookMs(lost: Amount, inMs: number, above: Amount): number {
  const until = (left: number, gone: number): number => (gone <= 0 ? Number.POSITIVE_INFINITY : (left * inMs) / gone);
  const untilShortMs = Math.min(until(above.bytes, lost.bytes), until(above.files, lost.files));
  return Math.min(looksMs.most, Math.max(looksMs.least, untilShortMs / 4));
}
