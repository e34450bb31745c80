// Makes a backup while the deployment runs. Everything about PostgreSQL is read in one snapshot, so the rows, their counts and the
// keys belong together. The folder gets its name once it is complete.
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type Database, tablesLeftOut } from '@berth/database';
import { sampleKeys } from '@berth/identity';
import type { CopiedTable, UsageCopies } from '@berth/usage';
import { sql } from 'kysely';
import { backupName, partialSuffix } from './backup-name.ts';
import { allowLongWork, appliedMigrations, countRows, serverVersion } from './database-facts.ts';
import {
  databaseFile,
  type Manifest,
  manifestFile,
  newManifest,
  type StoredFile,
  writeManifestText,
} from './manifest.ts';
import { readFrom } from './postgres-program.ts';
import { type BackupPlace, storeFile } from './stored-files.ts';

export interface BackUpOptions {
  /** Folder of all backups. */
  readonly to: string;
  readonly key: Buffer;
  readonly databaseUrl: string;
  readonly pgDump: readonly string[];
  /** Absent: the deployment keeps no usage. */
  readonly copies: UsageCopies | undefined;
  readonly tables: readonly CopiedTable[];
  readonly version: string;
  readonly now: Date;
  progress(line: string): void;
}

/** Returns the folder of the backup. */
export async function backUp(options: BackUpOptions): Promise<string> {
  const { to, key, now, progress } = options;
  const complete = join(to, backupName(now));
  const folder = `${complete}${partialSuffix}`;
  await mkdir(to, { recursive: true, mode: 0o700 });
  await mkdir(folder, { mode: 0o700 });
  try {
    const place = { folder, key };
    const postgres = await copyPostgres(options, place);
    const clickhouse = await copyClickhouse(options, place);
    const manifest = newManifest({
      version: options.version,
      madeAt: now.toISOString(),
      postgres: postgres.facts,
      masterKeys: postgres.masterKeys,
      clickhouse: clickhouse.map(({ table, rows, files }) => ({ table, rows, files: files.map(({ name }) => name) })),
      files: [postgres.file, ...clickhouse.flatMap(({ files }) => files)],
    });
    await writeFile(join(folder, manifestFile), writeManifestText(manifest, key), { mode: 0o600, flush: true });
    await rename(folder, complete);
    await syncFolder(to);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  progress(`complete: ${complete}`);
  return complete;
}

interface PostgresCopy {
  readonly file: StoredFile;
  readonly facts: Manifest['postgres'];
  readonly masterKeys: Manifest['masterKeys'];
}

async function copyPostgres(
  { databaseUrl, pgDump, progress }: BackUpOptions,
  place: BackupPlace,
): Promise<PostgresCopy> {
  const database = connect({ url: databaseUrl, maxConnections: 1, applicationName: 'berth-backup' });
  try {
    return await database
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        await allowLongWork(tx);
        const snapshot = await exportSnapshot(tx);
        progress('PostgreSQL: reading');
        const file = await storeFile(place, databaseFile, readFrom(pgDump, dumpArguments(snapshot), databaseUrl));
        progress(`PostgreSQL: ${file.bytes} bytes; counting rows`);
        const keys = await sampleKeys(tx);
        return {
          file,
          facts: { version: await serverVersion(tx), schema: await appliedMigrations(tx), rows: await countRows(tx) },
          masterKeys: keys.map(({ masterKeyId, context, wrapped }) => ({
            id: masterKeyId,
            context,
            wrapped: wrapped.toString('base64'),
          })),
        };
      });
  } finally {
    await database.destroy();
  }
}

async function exportSnapshot(tx: Database): Promise<string> {
  const { rows } = await sql<{ snapshot: string }>`select pg_export_snapshot() as snapshot`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL exported no snapshot. Try again.');
  return row.snapshot;
}

/** Partitions of a table that is left out have its name as the beginning of theirs. */
const dumpArguments = (snapshot: string): string[] => [
  ...['--format=custom', '--no-owner', '--no-privileges', '--no-comments', `--snapshot=${snapshot}`],
  ...tablesLeftOut.flatMap((table) => [
    `--exclude-table-data=public.${table}`,
    `--exclude-table-data=public.${table}_*`,
  ]),
];

interface TableCopy {
  readonly table: CopiedTable;
  readonly rows: number;
  readonly files: readonly StoredFile[];
}

async function copyClickhouse({ copies, tables, progress }: BackUpOptions, place: BackupPlace): Promise<TableCopy[]> {
  if (copies === undefined) return [];
  await copies.prepare();
  const copied: TableCopy[] = [];
  for (const table of tables) {
    const rows = await copies.count(table);
    const files: StoredFile[] = [];
    for (const partition of await copies.partitions([table])) {
      const name = `${table}.${partition.partition}.native.enc`;
      files.push(await storeFile(place, name, await copies.read(partition)));
    }
    progress(`ClickHouse: ${table}, ${rows} rows in ${files.length} files`);
    copied.push({ table, rows, files });
  }
  return copied;
}

/** Without it a power cut may undo the new name. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
