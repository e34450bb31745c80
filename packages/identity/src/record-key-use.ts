import type { Database } from '@berth/database';
import { sql } from 'kysely';

/** More would take connections from requests; a use left out is recorded at the key's next look-up. */
const maxWrites = 2;

/** Notes that a key was used, at most once a minute, beside the request: it returns at once and never throws. */
export function createKeyUseRecorder(db: Database): (keyId: string) => void {
  const writing = new Set<string>();
  return (keyId) => {
    if (writing.has(keyId) || writing.size >= maxWrites) return;
    writing.add(keyId);
    // Another server that holds the row is writing the same thing, so there is nothing to wait for.
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
