// Batches rows that arrive close together into one insert: each insert costs ClickHouse a part on disk, which it has to
// merge later, however few rows it holds.
export interface BatchLimits {
  /** Time that the first rows of a batch wait for more. */
  readonly waitMs: number;
  /** Number of rows at which a batch is inserted without waiting longer. */
  readonly maxRows: number;
}

interface Batch<Row> {
  readonly rows: Row[];
  readonly stored: Promise<void>;
  /** Inserts the batch without waiting for more rows. */
  close(): void;
}

/**
 * The returned promise resolves once its rows are stored. When the insert fails, every
 * caller of the batch gets the error.
 */
export function batchInserts<Row>(
  insert: (rows: readonly Row[]) => Promise<void>,
  { waitMs, maxRows }: BatchLimits,
): (rows: readonly Row[]) => Promise<void> {
  let open: Batch<Row> | undefined;

  const begin = (): Batch<Row> => {
    const rows: Row[] = [];
    const closed = Promise.withResolvers<void>();
    const timer = setTimeout(close, waitMs);
    function close(): void {
      clearTimeout(timer);
      open = undefined;
      closed.resolve();
    }
    return { rows, stored: closed.promise.then(() => insert(rows)), close };
  };

  return (rows) => {
    open ??= begin();
    const batch = open;
    batch.rows.push(...rows);
    if (batch.rows.length >= maxRows) batch.close();
    return batch.stored;
  };
}
