// Known writes of an instance, and when to count again. Pure. Counting is expensive, so it happens when the file
// system's loss since the last count could have carried the instance over its limit.
import { bytesPerMb } from '@berth/contract/node';
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
  readonly lossThen: Amount;
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
export const larger = (left: Amount, right: Amount): Amount => ({
  bytes: Math.max(left.bytes, right.bytes),
  files: Math.max(left.files, right.files),
});

export const smaller = (left: Amount, right: Amount): Amount => ({
  bytes: Math.min(left.bytes, right.bytes),
  files: Math.min(left.files, right.files),
});

export const difference = (left: Amount, right: Amount): Amount => ({
  bytes: left.bytes - right.bytes,
  files: left.files - right.files,
});

/** Every instance is counted again after this time, for changes that the free space does not show. */
const maxAgeMs = 60_000;
/** Counting takes at most this part of the time between two counts. */
const maxShare = 0.1;
/**
 * Part of an instance's remaining room that may be lost before it is counted again, so that it exceeds its limit by
 * little.
 */
const shareOfRoom = 0.5;
/** Smaller losses are not worth a count; logs alone write that much. */
const minBytes = bytesPerMb;
const minFiles = 100;

/**
 * `sharing` instances take at most `maxShare` of the time together: each write of one of them may make all of them due.
 * Instances with small limits share it, because a small loss makes them due.
 */
export function isDue(
  written: Written | undefined,
  totalLoss: Amount,
  limits: Amount,
  now: number,
  sharing = 1,
): boolean {
  if (written === undefined) return true;
  const { amount, lossThen, countedAt, tookMs } = written;
  const ageMs = now - countedAt;
  if (ageMs < tookMs / maxShare) return false;
  if (ageMs > maxAgeMs) return true;
  if (ageMs < (tookMs * sharing) / maxShare) return false;
  const room = (limit: number, used: number, min: number): number => Math.max(min, (limit - used) * shareOfRoom);
  return (
    totalLoss.bytes - lossThen.bytes >= room(limits.bytes, amount.bytes, minBytes) ||
    totalLoss.files - lossThen.files >= room(limits.files, amount.files, minFiles)
  );
}

/**
 * When the file system is short: an instance that may have written since its last count is counted again, at any cost.
 */
export const mayHaveGrown = (written: Written | undefined, totalLoss: Amount): boolean =>
  written === undefined ||
  totalLoss.bytes - written.lossThen.bytes >= minBytes ||
  totalLoss.files - written.lossThen.files >= minFiles;

const looksMs = { min: 100, max: 1_000 };

/**
 * Pause before the next look at the file system: a quarter of the time until it is short, or until an instance can have
 * passed a limit of its own, at the current rate. `above` is what may be lost until then.
 */
export function nextLookMs(lost: Amount, inMs: number, above: Amount): number {
  const until = (left: number, gone: number): number => (gone <= 0 ? Number.POSITIVE_INFINITY : (left * inMs) / gone);
  const untilShortMs = Math.min(until(above.bytes, lost.bytes), until(above.files, lost.files));
  return Math.min(looksMs.max, Math.max(looksMs.min, untilShortMs / 4));
}
