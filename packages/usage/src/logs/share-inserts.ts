// Batches rows that arrive close together into one insert: each insert costs ClickHouse a part on disk, which it has to
// merge later, however few rows it holds.
export interface Sharing {
  /** Time that the first rows of a batch wait for more. */
  readonly momentMs: number;
  /** Number of rows at which a batch is inserted without waiting longer. */
  readonly enoughRows: number;
}

interface Group<Row> {
  readonly rows: Row[];
  readonly stored: Promise<void>;
  /** Inserts the batch without waiting for more rows. */
  close(): void;
}

/**
 * The returned promise resolves once its rows are stored. When the insert fails, every
 * caller of the batch gets the error.
 */
export function shareInserts<Row>(
  insert: (rows: readonly Row[]) => Promise<void>,
  { momentMs, enoughRows }: Sharing,
): (rows: readonly Row[]) => Promise<void> {
  let open: Group<Row> | undefined;

  const begin = (): Group<Row> => {
    const rows: Row[] = [];
    const closed = Promise.withResolvers<void>();
    const timer = setTimeout(close, momentMs);
    function close(): void {
      clearTimeout(timer);
      open = undefined;
      closed.resolve();
    }
    return { rows, stored: closed.promise.then(() => insert(rows)), close };
  };

  return (rows) => {
    open ??= begin();
    const group = open;
    group.rows.push(...rows);
    if (group.rows.length >= enoughRows) group.close();
    return group.stored;
  };
}
