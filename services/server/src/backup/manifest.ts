// manifest.json of a backup: what it holds and what a restore needs. It is readable, and signed with the key of the backup, so
// nothing in it can be changed.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allCopiedTables } from '@berth/usage';
import { z } from 'zod';

export const manifestFile = 'manifest.json';
export const databaseFile = 'database.dump.enc';
const format = 1;

const StoredFile = z.object({
  name: z.string().regex(/^[\w.-]+\.enc$/),
  bytes: z.number(),
  sha256: z.string(),
});
export type StoredFile = z.infer<typeof StoredFile>;

const Contents = z.object({
  format: z.literal(format),
  /** Version of the server that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  postgres: z.object({
    version: z.string(),
    /** Applied migrations. */
    schema: z.array(z.object({ name: z.string(), checksum: z.string() })),
    rows: z.record(z.string(), z.number()),
  }),
  /** For each master key that the rows need, one data key that it wraps. */
  masterKeys: z.array(z.object({ id: z.string(), context: z.string(), wrapped: z.base64() })),
  clickhouse: z.array(
    z.object({
      table: z.enum(allCopiedTables),
      /** Different rows, counted before they were read. */
      rows: z.number(),
      files: z.array(z.string()),
    }),
  ),
  files: z.array(StoredFile),
});
export type Manifest = z.infer<typeof Contents>;

const Signed = z.object({ backup: Contents, signature: z.string() });

export const newManifest = (contents: Omit<Manifest, 'format'>): Manifest => ({ format, ...contents });

function signatureOf(text: string, key: Buffer): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'berth-backup-manifest.v1', 32));
  return createHmac('sha256', derived).update(text).digest();
}

export function writeManifestText(backup: Manifest, key: Buffer): string {
  const signature = signatureOf(JSON.stringify(backup), key).toString('base64');
  return `${JSON.stringify({ backup, signature }, null, 2)}\n`;
}

export async function readManifest(folder: string, key: Buffer): Promise<Manifest> {
  const text = await readFile(join(folder, manifestFile), 'utf8').catch((cause: unknown) => {
    throw new Error(`${folder} is not a complete backup: it has no ${manifestFile}. Name the folder of one backup.`, {
      cause,
    });
  });
  const refused = `The manifest of ${folder} was changed, or the key is another one. Use the key that the backup was made with, or another backup.`;
  const parsed = Signed.safeParse(parseJson(text));
  if (!parsed.success) throw new Error(`${refused} ${z.prettifyError(parsed.error)}`);
  const { backup, signature } = parsed.data;
  const expected = signatureOf(JSON.stringify(backup), key);
  const given = Buffer.from(signature, 'base64');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new Error(refused);
  // Another writing of the same contents is a change too: a byte of it was altered.
  if (text !== writeManifestText(backup, key)) throw new Error(refused);
  return backup;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
