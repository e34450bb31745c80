import { schemaState } from '@berth/database';

/** A newer schema is fine: a version only adds to it, so the version before works on it during an upgrade and after a way back. */
export async function requireSchema(databaseUrl: string): Promise<void> {
  const { pending } = await schemaState(databaseUrl);
  if (pending.length === 0) return;
  throw new Error(
    `The database is older than this server: it lacks ${pending.join(', ')}. Run: berth-server migrate, then start this server again.`,
  );
}
