// Everything that can be checked about a backup before a byte is written.
import { readMigrations } from '@berth/database';
import { assertKeysOpen, type MasterKeyRing, SealError } from '@berth/identity';
import { type Manifest, readManifest } from '../backup/manifest.ts';
import { assertUnchanged, type BackupPlace } from '../backup/stored-files.ts';

export async function checkBackup(
  place: BackupPlace,
  ring: MasterKeyRing,
  progress: (line: string) => void,
): Promise<Manifest> {
  const manifest = await readManifest(place.folder, place.key);
  await assertSchemaKnown(manifest);
  assertMasterKeys(manifest, ring);
  for (const file of manifest.files) await assertUnchanged(place, file);
  progress(`checked ${manifest.files.length} files of ${manifest.madeAt}, made by version ${manifest.version}`);
  return manifest;
}

async function assertSchemaKnown({ postgres, version }: Manifest): Promise<void> {
  const known = new Map((await readMigrations()).map(({ name, checksum }) => [name, checksum]));
  const unknown = postgres.schema.find(({ name, checksum }) => known.get(name) !== checksum);
  if (unknown !== undefined)
    throw new Error(
      `The backup was made by version ${version}, and this version does not know its migration ${unknown.name}. Restore with version ${version} or a later one.`,
    );
}

function assertMasterKeys({ masterKeys }: Manifest, ring: MasterKeyRing): void {
  const samples = masterKeys.map(({ id, context, wrapped }) => ({
    masterKeyId: id,
    context,
    wrapped: Buffer.from(wrapped, 'base64'),
  }));
  try {
    assertKeysOpen(ring, samples);
  } catch (cause) {
    if (!(cause instanceof SealError)) throw cause;
    const ids = masterKeys.map(({ id }) => id).join(', ');
    throw new Error(
      `The master keys of this deployment do not open the backup, which needs: ${ids}. Add them to masterKeys with the values that they had, then run this again. ${cause.message}`,
      { cause },
    );
  }
}
