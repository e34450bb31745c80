import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** More concurrent writes would take connections from requests. A skipped use is recorded at the key's next lookup. */
const maxWrites = 2;

/** Records that a key was used, at most once a minute and outside the request: returns at once and never throws. */
export function createKeyUseRecorder(db: Database): (keyId: string) => void {
  const writing = new Set<string>();
  return (keyId) => {
    if (writing.has(keyId) || writing.size >= maxWrites) return;
    writing.add(keyId);
    // A locked row is skipped: another server is recording the same use.
    sql`
      update api_keys set last_used_at = now() where id = (
        select id from api_keys
        where id = ${keyId} and (last_used_at is null or last_used_at < now() - interval '1 minute')
        for update skip locked)`
      .execute(db)
      .catch(() => undefined)
      .finally(() => writing.delete(keyId));
  };
}
