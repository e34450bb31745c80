// One data key for each master key that a database needs. A backup names them, so that a restore can tell before it writes
// whether its master keys open what they will have to.
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import { keyTables } from './key-tables.ts';
import type { MasterKeyRing } from './master-keys.ts';

export interface SampleKey {
  readonly masterKeyId: string;
  readonly context: string;
  readonly wrapped: Buffer;
}

export async function sampleKeys(db: Database): Promise<SampleKey[]> {
  const samples = new Map<string, SampleKey>();
  for (const { name, owner, contextOf } of keyTables) {
    const { rows } = await sql<{ masterKeyId: string; owner: string; wrapped: Buffer }>`
      select distinct on (master_key_id) master_key_id as "masterKeyId", ${owner}::text as owner, wrapped from ${name}
      order by master_key_id, ${owner}`.execute(db);
    for (const { masterKeyId, owner: of, wrapped } of rows)
      samples.set(masterKeyId, { masterKeyId, context: contextOf(of), wrapped });
  }
  return [...samples.values()];
}

/** Throws `SealError` for the first one that does not open. */
export function assertKeysOpen(ring: MasterKeyRing, samples: readonly SampleKey[]): void {
  for (const { masterKeyId, wrapped, context } of samples) ring.unwrap(masterKeyId, wrapped, context);
}
