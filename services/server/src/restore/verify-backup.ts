// Proves that a backup can be restored: restores it beside the deployment, compares the rows, and removes them.
import { randomBytes } from 'node:crypto';
import type { MasterKeyRing } from '@berth/identity';
import type { UsageCopies } from '@berth/usage';
import type { BackupPlace } from '../backup/stored-files.ts';
import { checkBackup } from './check-backup.ts';
import { loadClickhouse, loadPostgres } from './load-backup.ts';
import { withScratchDatabase } from './target.ts';

export interface VerifyOptions {
  readonly place: BackupPlace;
  readonly ring: MasterKeyRing;
  readonly databaseUrl: string;
  readonly pgRestore: readonly string[];
  /** Opens a database of ClickHouse by its name, or the deployment's own; absent: usage is not verified. */
  readonly openCopies: ((database?: string) => UsageCopies) | undefined;
  progress(line: string): void;
}

export async function verifyBackup(options: VerifyOptions): Promise<void> {
  const { place, ring, databaseUrl, openCopies, progress } = options;
  const manifest = await checkBackup(place, ring, progress);
  const scratch = `berth_verify_${randomBytes(6).toString('hex')}`;
  await withScratchDatabase(databaseUrl, scratch, (url) => loadPostgres(url, { ...options, manifest }));
  if (openCopies === undefined || manifest.clickhouse.length === 0) return;
  await using own = closing(openCopies());
  await own.copies.createDatabase(scratch);
  try {
    await using beside = closing(openCopies(scratch));
    await loadClickhouse(beside.copies, { ...options, manifest });
  } finally {
    await own.copies.dropDatabase(scratch);
  }
}

const closing = (copies: UsageCopies) => ({ copies, [Symbol.asyncDispose]: () => copies.close() });
