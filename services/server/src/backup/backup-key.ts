import { readFile, stat } from 'node:fs/promises';

const keyBytes = 32;

/** The key of backups, from a file that only its owner may read. Messages never quote it. */
export async function readBackupKey(file: string | undefined): Promise<Buffer> {
  if (file === undefined)
    throw new Error(
      'A backup is encrypted with a key of its own. Make one with `(umask 077; openssl rand -base64 32 > /etc/berth/backup.key)` and name it with --key-file or backup.keyFile.',
    );
  const { mode } = await stat(file).catch((cause: unknown) => {
    throw new Error(`The key file ${file} cannot be read. Check its path and its owner.`, { cause });
  });
  if ((mode & 0o077) !== 0) throw new Error(`Other accounts may read the key file ${file}. Run: chmod 600 ${file}`);
  const text = (await readFile(file, 'utf8')).trim();
  const key = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64');
  if (key.length !== keyBytes)
    throw new Error(
      `${file} does not hold a key: 32 random bytes in base64 or hex. Make one with openssl rand -base64 32.`,
    );
  return key;
}
