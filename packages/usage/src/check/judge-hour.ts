// Compares what is known of one hour of an account. Pure.
import type { HourTotals, Totals } from './hour-totals.ts';

export interface KnownHour {
  /** From ClickHouse; undefined where it has nothing of the hour. */
  readonly stored: Pick<HourTotals, 'closed' | 'rows'> | undefined;
  /** Totals that PostgreSQL kept when the hour was closed last. */
  readonly control: Totals | undefined;
  readonly isDirty: boolean;
  /** The hour is over for so long that it should be closed. */
  readonly isOverdue: boolean;
}

const nothing: Totals = { micro: 0n, pico: 0n };
const isEqual = (left: Totals, right: Totals): boolean => left.micro === right.micro && left.pico === right.pico;

/** The invariants that do not hold. A dirty hour is closed again, so its rows may differ from what was closed. */
export function judgeHour({ stored, control, isDirty, isOverdue }: KnownHour): string[] {
  const { closed = nothing, rows = nothing } = stored ?? {};
  if (control === undefined) {
    return [
      ...(isDirty || isEqual(closed, nothing) ? [] : ['an hour is closed in ClickHouse and not in PostgreSQL']),
      ...(isDirty || !isOverdue || isEqual(rows, nothing) ? [] : ['an hour with usage was never closed']),
    ];
  }
  return [
    ...(isDirty || isEqual(closed, control) ? [] : ['a closed hour differs from the totals that PostgreSQL kept']),
    ...(isDirty || closed.micro === rows.micro ? [] : ['the usage of a closed hour differs from its rows']),
    ...(isDirty || closed.pico === rows.pico || closed.micro !== rows.micro
      ? []
      : ['the cost of a closed hour differs from its usage at its price']),
  ];
}
