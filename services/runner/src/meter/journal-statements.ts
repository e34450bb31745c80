// SQL of the journal. All times are milliseconds.

export const journalSchema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS origin (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    first_number INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS clock (
    id INTEGER PRIMARY KEY CHECK (id = 0),
    boot_id TEXT NOT NULL,
    offset_ms INTEGER NOT NULL,
    since_ms INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS instances (
    instance TEXT PRIMARY KEY,
    next_number INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    last_run TEXT NOT NULL,
    has_ended INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS intervals (
    instance TEXT NOT NULL,
    number INTEGER NOT NULL,
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    from_uptime_ms INTEGER NOT NULL,
    memory_mb INTEGER NOT NULL,
    run TEXT NOT NULL,
    is_open INTEGER NOT NULL,
    acknowledged_to_ms INTEGER NOT NULL DEFAULT -1,
    UNIQUE (instance, number)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS open_intervals ON intervals (is_open) WHERE is_open = 1;
`;

const sent = 'instance, number, from_ms AS "fromMs", to_ms AS "toMs", memory_mb AS "memoryMb"';

/** A closed interval is deleted with its acknowledgement, so every closed one in the table is not acknowledged. */
export const journalStatements = {
  begin: 'INSERT INTO origin (id, first_number) VALUES (0, ?) ON CONFLICT DO NOTHING',
  origin: 'SELECT first_number AS "firstNumber" FROM origin',
  clock: 'SELECT boot_id AS "bootId", offset_ms AS "offsetMs", since_ms AS "sinceMs" FROM clock',
  saveClock: `
    INSERT INTO clock (id, boot_id, offset_ms, since_ms) VALUES (0, :bootId, :offsetMs, :sinceMs)
    ON CONFLICT DO UPDATE SET boot_id = excluded.boot_id, offset_ms = excluded.offset_ms`,
  latest: `
    SELECT max(coalesce((SELECT max(to_ms) FROM intervals), 0), coalesce((SELECT max(last_ms) FROM instances), 0))
    AS "count"`,
  open: `
    SELECT ${sent}, from_uptime_ms AS "fromUptimeMs", run, is_open AS "isOpen" FROM intervals WHERE is_open = 1`,
  instances: `
    SELECT instance, next_number AS "nextNumber", last_ms AS "lastMs", last_run AS "lastRun", has_ended AS "hasEnded"
    FROM instances`,
  saveInterval: `
    INSERT INTO intervals (instance, number, from_ms, to_ms, from_uptime_ms, memory_mb, run, is_open)
    VALUES (:instance, :number, :fromMs, :toMs, :fromUptimeMs, :memoryMb, :run, :isOpen)
    ON CONFLICT (instance, number) DO UPDATE SET to_ms = excluded.to_ms, is_open = excluded.is_open,
      run = excluded.run`,
  saveInstance: `
    INSERT INTO instances (instance, next_number, last_ms, last_run, has_ended)
    VALUES (:instance, :nextNumber, :lastMs, :lastRun, :hasEnded)
    ON CONFLICT (instance) DO UPDATE SET next_number = excluded.next_number, last_ms = excluded.last_ms,
      last_run = excluded.last_run, has_ended = excluded.has_ended`,
  // The caller names open intervals alone. A condition on is_open would make SQLite scan all of them for each mark.
  mark: `
    UPDATE intervals SET to_ms = mark.value ->> 'toMs' FROM json_each(?) AS mark
    WHERE instance = mark.value ->> 'instance' AND number = mark.value ->> 'number'`,
  unsentClosed: `SELECT ${sent} FROM intervals WHERE is_open = 0 ORDER BY rowid LIMIT ?`,
  unsentOpen: `SELECT ${sent} FROM intervals WHERE is_open = 1 AND to_ms > acknowledged_to_ms LIMIT ?`,
  unsentEnds: `
    SELECT instance FROM instances
    WHERE has_ended = 1 AND NOT EXISTS (SELECT 1 FROM intervals WHERE intervals.instance = instances.instance)
    LIMIT ?`,
  acknowledge: `
    UPDATE intervals SET acknowledged_to_ms = :toMs
    WHERE instance = :instance AND number = :number`,
  clear: `
    DELETE FROM intervals
    WHERE instance = :instance AND number = :number AND is_open = 0 AND acknowledged_to_ms >= to_ms`,
  forget: 'DELETE FROM instances WHERE instance = :instance AND has_ended = 1',
  count: 'SELECT count(*) AS "count" FROM intervals WHERE to_ms > acknowledged_to_ms',
} as const;
