// Rows that come within a moment of each other are stored by one insert: each costs the database a part on disk, which it has to
// merge later, however few rows are in it.
export interface Sharing {
  /** For which the first to come waits for others. */
  readonly momentMs: number;
  /** With so many nobody waits any longer. */
  readonly enoughRows: number;
}

interface Group<Row> {
  readonly rows: Row[];
  readonly stored: Promise<void>;
  /** No others are waited for. */
  close(): void;
}

/** What it returns resolves once its rows are stored; when the insert fails, all who shared it hear so. */
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
