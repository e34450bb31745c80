// Restores a backup: everything is checked first, then the rows are loaded, then they are made safe to start on. Until the last
// step the database has no epoch, and no role starts on it.
import { connect, finishRestore, migrate } from '@berth/database';
import type { MasterKeyRing } from '@berth/identity';
import { allCopiedTables, markCopiedHours, type UsageCopies } from '@berth/usage';
import type { BackupPlace } from '../backup/stored-files.ts';
import { checkBackup } from './check-backup.ts';
import { loadClickhouse, loadPostgres } from './load-backup.ts';
import { assertCopiesEmpty, assertDatabaseEmpty, assertNothingRuns, emptyDatabase } from './target.ts';

export interface RestoreOptions {
  readonly place: BackupPlace;
  readonly ring: MasterKeyRing;
  readonly databaseUrl: string;
  readonly pgRestore: readonly string[];
  /** Absent: there is no ClickHouse, or it is left as it is. */
  readonly copies: UsageCopies | undefined;
  readonly leavesUsage: boolean;
  /** Removes what the target holds. */
  readonly replaces: boolean;
  readonly isRehearsal: boolean;
  progress(line: string): void;
}

/** Returns the new epoch. */
export async function restore(options: RestoreOptions): Promise<string> {
  const { place, ring, databaseUrl, copies, leavesUsage, replaces, isRehearsal, progress } = options;
  const manifest = await checkBackup(place, ring, progress);
  if (copies === undefined && !leavesUsage && manifest.clickhouse.length > 0)
    throw new Error('The backup holds usage. Set clickhouse.url, or give --without-usage to leave it out.');
  const database = connect({ url: databaseUrl, maxConnections: 1, applicationName: 'berth-restore', statementMs: 0 });
  try {
    if (!replaces) {
      await assertDatabaseEmpty(database);
      if (copies !== undefined) await assertCopiesEmpty(copies);
    }
    await assertNothingRuns(database);
    if (replaces) await emptyDatabase(database);
    await loadPostgres(databaseUrl, { ...options, manifest });
    if (copies !== undefined) {
      await copies.prepare();
      if (replaces) for (const table of allCopiedTables) await copies.empty(table);
      await loadClickhouse(copies, { ...options, manifest });
    }
    const migrated = await migrate(databaseUrl);
    if (migrated.length > 0) progress(`applied ${migrated.length} migrations that are newer than the backup`);
    const { epoch } = await database.transaction().execute(async (tx) => {
      if (copies !== undefined) await markCopiedHours(tx, new Date(manifest.madeAt));
      return finishRestore(tx, isRehearsal);
    });
    return epoch;
  } finally {
    await database.destroy();
  }
}
