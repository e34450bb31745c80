import { type Database, type JsonObject, uuidv7 } from '@berth/database';
import { deploymentKeyContext } from './key-contexts.ts';
import type { MasterKeyRing } from './master-keys.ts';

interface NewDeploymentKey {
  readonly secret: Buffer;
  readonly publicPart?: JsonObject;
}

/** Returns the deployment's single key for a purpose; the first server that needs it creates it. */
export async function loadDeploymentKey(
  db: Database,
  ring: MasterKeyRing,
  purpose: string,
  make: () => NewDeploymentKey | Promise<NewDeploymentKey>,
): Promise<{ secret: Buffer; publicPart: JsonObject | null }> {
  const stored = (await findKey(db, purpose)) ?? (await insertKey(db, ring, purpose, await make()));
  return {
    secret: ring.unwrap(stored.master_key_id, stored.wrapped, deploymentKeyContext(purpose)),
    publicPart: stored.public_part,
  };
}

const findKey = (db: Database, purpose: string) =>
  db
    .selectFrom('deployment_keys')
    .select(['master_key_id', 'wrapped', 'public_part'])
    .where('purpose', '=', purpose)
    .executeTakeFirst();

async function insertKey(db: Database, ring: MasterKeyRing, purpose: string, made: NewDeploymentKey) {
  const { masterKeyId, wrapped } = ring.wrap(made.secret, deploymentKeyContext(purpose));
  await db
    .insertInto('deployment_keys')
    .values({
      id: uuidv7(),
      purpose,
      master_key_id: masterKeyId,
      wrapped,
      public_part: made.publicPart === undefined ? null : JSON.stringify(made.publicPart),
    })
    .onConflict((conflict) => conflict.column('purpose').doNothing())
    .execute();
  // Read back: when two servers race, the stored row may be the other server's.
  const stored = await findKey(db, purpose);
  if (stored === undefined) throw new Error(`The deployment key for ${purpose} vanished while it was made. Try again.`);
  return stored;
}
