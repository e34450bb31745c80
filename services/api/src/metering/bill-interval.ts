// Rows of the ledger for one interval of an instance. Pure. The same interval, sent again longer, gives the same rows with a
// later end, and perhaps more of them.
import type { UsageInterval } from '@berth/contract/node';
import { type LedgerRow, splitAtHours } from '@berth/usage';
import type { BilledInstance } from './billed-instance.ts';

/** Time in which a runner counted as lost; without `untilMs` it still does. */
export interface Absence {
  readonly sinceMs: number;
  readonly untilMs: number | undefined;
}

const kibPerMb = 1_024;

/** `absences`: all of the runner that end after the begin of the interval, oldest first. */
export function billInterval(
  { number, fromMs, toMs, memoryMb }: UsageInterval,
  instance: BilledInstance,
  absences: readonly Absence[],
): LedgerRow[] {
  const { id, accountId, workspaceId, workspace, resourceType, resourceName, resourceUid, dimension } = instance;
  const billed = { fromMs: Math.max(fromMs, instance.fromMs), toMs: Math.min(toMs, instance.toMs) };
  const rate = Math.min(memoryMb, instance.maxMemoryMb ?? memoryMb) * kibPerMb;
  return presentParts(billed, absences).flatMap(({ part, ...time }) =>
    splitAtHours(time).map((piece) => ({
      ...{ accountId, workspaceId, workspace, resourceType, resourceName, resourceUid, dimension, rate, part },
      ...{ source: id, interval: number, amount: 0, ...piece },
    })),
  );
}

interface Time {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Takes absences out. A part is numbered by the absences before it, so that it keeps its number when a later absence cuts
 * the interval again.
 */
function presentParts({ fromMs, toMs }: Time, absences: readonly Absence[]): (Time & { readonly part: number })[] {
  const starts = [fromMs, ...absences.map(({ untilMs = Number.POSITIVE_INFINITY }) => Math.max(fromMs, untilMs))];
  const ends = [...absences.map(({ sinceMs }) => Math.min(toMs, sinceMs)), toMs];
  return starts
    .map((start, part) => ({ part, fromMs: start, toMs: Math.min(ends[part] ?? toMs, toMs) }))
    .filter((part) => part.fromMs < part.toMs);
}
