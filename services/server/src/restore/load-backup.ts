// Loads the rows of a checked backup into an empty database and empty tables, and compares their number with the manifest.
import { connect, tablesLeftOut } from '@berth/database';
import { isKeptForEver, type UsageCopies } from '@berth/usage';
import { countRows } from '../backup/database-facts.ts';
import { databaseFile, type Manifest } from '../backup/manifest.ts';
import { writeTo } from '../backup/postgres-program.ts';
import { type BackupPlace, openStoredFile } from '../backup/stored-files.ts';

export interface LoadOptions {
  readonly place: BackupPlace;
  readonly manifest: Manifest;
  readonly pgRestore: readonly string[];
  progress(line: string): void;
}

/** In one transaction: a restore that fails leaves the database empty. */
const restoreArguments = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction'];

export async function loadPostgres(
  databaseUrl: string,
  { place, manifest, pgRestore, progress }: LoadOptions,
): Promise<void> {
  await writeTo(pgRestore, restoreArguments, databaseUrl, openStoredFile(place, databaseFile));
  const database = connect({ url: databaseUrl, maxConnections: 1, applicationName: 'berth-restore', statementMs: 0 });
  try {
    const found = await countRows(database);
    for (const [table, rows] of Object.entries(manifest.postgres.rows)) {
      if (isLeftOut(table) || found[table] === rows) continue;
      throw new Error(
        `${table} has ${found[table] ?? 0} rows after the restore instead of ${rows}. Use another backup.`,
      );
    }
    const sum = Object.values(found).reduce((total, rows) => total + rows, 0);
    progress(`PostgreSQL: ${sum} rows in ${Object.keys(found).length} tables`);
  } finally {
    await database.destroy();
  }
}

const isLeftOut = (table: string): boolean =>
  tablesLeftOut.some((name) => table === name || table.startsWith(`${name}_`));

export async function loadClickhouse(copies: UsageCopies, { place, manifest, progress }: LoadOptions): Promise<void> {
  await copies.prepare();
  for (const { table, files, rows } of manifest.clickhouse) {
    for (const name of files) await copies.write(table, openStoredFile(place, name));
    const found = await copies.count(table);
    // Rows that were stored while the backup was made may be in it.
    if (found < rows && isKeptForEver(table))
      throw new Error(`${table} has ${found} rows after the restore instead of ${rows}. Use another backup.`);
    const dropped = found < rows ? `, and ${rows - found} whose retention has ended` : '';
    progress(`ClickHouse: ${table}, ${found} rows${dropped}`);
  }
}
