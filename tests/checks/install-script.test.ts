// deploy/install.sh before it changes anything. What it does to a machine is tested in a whole machine (tests/e2e/install).
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { requireDebianPackages } from '../../engines/debian-packages.ts';

const script = new URL('../../deploy/install.sh', import.meta.url).pathname;
const joinScript = new URL('../../deploy/join.sh', import.meta.url).pathname;
const archive = 'berth-9.9.9-linux-x64.tar.gz';
const image = 'berth-9.9.9-image-linux-x64.tar';

let folder: string;
let publicKey: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-install-'));
  for (const name of [archive, image]) writeFileSync(join(folder, name), `bytes of ${name}`);
  const sums = [archive, image].map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  const keys = generateKeyPairSync('ed25519');
  publicKey = join(folder, 'public.pem');
  writeFileSync(publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'SHA256SUMS.sig'), sign(null, Buffer.from(sums.join('')), keys.privateKey));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Root in a namespace of its own, which may write nothing outside of the test's folder. */
function install(...words: string[]): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(
    'unshare',
    [
      ...['--user', '--map-root-user', '--mount', 'sh', '-c'],
      ...['mount -t tmpfs none /opt && cd "$0" && exec sh "$@"', folder, script, ...words],
    ],
    { encoding: 'utf8' },
  );
  return { code: status, text: stdout + stderr };
}
const key = () => ['--key', publicKey];

test('shellcheck finds nothing in the scripts, and something in a planted mistake', () => {
  requireDebianPackages('shellcheck', ['shellcheck'], ['/usr/bin/shellcheck']);
  expect(execFileSync('shellcheck', [script, joinScript], { encoding: 'utf8' })).toBe('');
  const planted = join(folder, 'planted.sh');
  writeFileSync(planted, '#!/bin/sh\nrm -rf $1/*\n');
  expect(spawnSync('shellcheck', [planted]).status).toBe(1);
});

test('a release with the right hashes and signature is unpacked, and only then does its content matter', () => {
  const { code, text } = install('--from', archive, ...key());
  expect(code).not.toBe(0);
  // The archive of this test is none.
  expect(text).toMatch(/gzip|tar/);
  expect(text).not.toContain('FIX:');
  expect(text).not.toContain('not checked');
});

test('without a key the script says that the signature was not checked', () => {
  expect(install('--from', archive).text).toContain('The signature was not checked');
});

test.each([
  ['no archive is named', () => [], 'The archive of a release is missing. FIX: sh install.sh --from'],
  ['the archive is not there', () => ['--from', 'no.tar.gz'], 'There is no file no.tar.gz. FIX:'],
  [
    'the archive has a changed byte',
    () => {
      appendFileSync(join(folder, archive), 'x');
      return ['--from', archive, ...key()];
    },
    `${archive} does not have the hash of SHA256SUMS. FIX:`,
  ],
  [
    'the image beside it has a changed byte',
    () => {
      appendFileSync(join(folder, image), 'x');
      return ['--from', archive, ...key()];
    },
    `${image} does not have the hash of SHA256SUMS. FIX:`,
  ],
  [
    'the hashes were changed after they were signed',
    () => {
      appendFileSync(join(folder, 'SHA256SUMS'), '\n');
      return ['--from', archive, ...key()];
    },
    'The signature of SHA256SUMS does not belong to',
  ],
  [
    'the hashes are missing',
    () => {
      rmSync(join(folder, 'SHA256SUMS'));
      return ['--from', archive];
    },
    'SHA256SUMS does not lie beside the archive. FIX:',
  ],
])('nothing is unpacked when %s, and the fix is named', (_, words, message) => {
  const { code, text } = install(...words());
  expect(code).toBe(1);
  expect(text).toContain(message);
});
