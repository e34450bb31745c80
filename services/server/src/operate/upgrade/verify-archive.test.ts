// Archives as `pnpm release` leaves them, with keys of the test.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { releaseArchive } from './release-archive.ts';
import { verifyArchive } from './verify-archive.ts';

const name = 'berth-1.2.3-linux-x64.tar.gz';
const imageName = 'berth-1.2.3-image-linux-x64.tar';
let folder = '';
let key = '';
let otherKey = '';

const at = (file: string): string => join(folder, file);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-archive-'));
  const [own, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  [key, otherKey] = [at('public.pem'), at('other.pem')];
  const lines = [name, imageName].map((file) => `${createHash('sha256').update(file).digest('hex')}  ${file}\n`);
  const hashes = Buffer.from(lines.join(''));
  await Promise.all([
    ...[name, imageName].map((file) => writeFile(at(file), file)),
    writeFile(at('SHA256SUMS'), hashes),
    writeFile(at('SHA256SUMS.sig'), sign(null, hashes, own.privateKey)),
    writeFile(key, own.publicKey.export({ type: 'spki', format: 'pem' })),
    writeFile(otherKey, other.publicKey.export({ type: 'spki', format: 'pem' })),
  ]);
});
afterEach(() => rm(folder, { recursive: true }));

const check = (withKey: string | undefined) => verifyArchive.run({ archive: releaseArchive(at(name)), key: withKey });

test('a release with its hashes and signature is accepted, and a check that is left out is said', async () => {
  expect(await check(key)).toBe('signature and hashes');
  expect(await check(undefined)).toContain('the signature was not checked');
});

test.each([name, imageName])('a changed byte in %s is refused', async (file) => {
  await writeFile(at(file), 'changed');
  await expect(check(key)).rejects.toThrow(`${file} does not have the hash of SHA256SUMS`);
});

test('hashes that were changed with the archive are refused by their signature', async () => {
  await writeFile(at(name), 'changed');
  await writeFile(at('SHA256SUMS'), `${createHash('sha256').update('changed').digest('hex')}  ${name}\n`);
  await expect(check(key)).rejects.toThrow('The signature of SHA256SUMS does not belong to');
});

test('another key, a file without a key and a missing file are refused with the next step', async () => {
  await expect(check(otherKey)).rejects.toThrow('does not belong to');
  await expect(check(at(name))).rejects.toThrow('does not belong to');
  await rm(at('SHA256SUMS.sig'));
  await expect(check(key)).rejects.toMatchObject({ fix: 'put SHA256SUMS.sig of the release there' });
});

test('a file that is not named like a release is refused', () => {
  expect(() => releaseArchive(at('SHA256SUMS'))).toThrow('is not named like an archive of a release');
});
