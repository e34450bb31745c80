import { createHash, createPublicKey, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../machine/fault.ts';
import type { Step } from '../steps/run-steps.ts';
import type { ReleaseArchive } from './release-archive.ts';
import type { UpgradeContext } from './upgrade-context.ts';

const again = 'fetch the release again';

/** The same as install.sh checks: hashes of the archive and of the image, and with a key the signature of the hashes. */
export const verifyArchive: Step<Pick<UpgradeContext, 'archive' | 'key'>> = {
  name: 'archive',
  async run({ archive, key }) {
    const hashes = await readBeside(archive.hashes);
    if (key !== undefined) await verifySignature(archive, key, hashes);
    const known = parseHashes(hashes.toString());
    for (const file of [archive.file, archive.image])
      if (file !== undefined && known.get(basename(file)) !== (await sha256Of(file)))
        throw new Fault(`${file} does not have the hash of SHA256SUMS.`, again);
    return key === undefined
      ? 'hashes; the signature was not checked, because no --key was given'
      : 'signature and hashes';
  },
};

async function verifySignature({ signature }: ReleaseArchive, key: string, hashes: Buffer): Promise<void> {
  const [pem, signed] = await Promise.all([readBeside(key), readBeside(signature)]);
  const isTrue = isSignedBy(pem, hashes, signed);
  if (!isTrue)
    throw new Fault(
      `The signature of SHA256SUMS does not belong to ${key}.`,
      'fetch the release and the key again, from where you trust them',
    );
}

/** False too when the file holds no key. */
function isSignedBy(pem: Buffer, text: Buffer, signature: Buffer): boolean {
  try {
    return verify(null, text, createPublicKey(pem), signature);
  } catch {
    return false;
  }
}

const readBeside = (path: string): Promise<Buffer> =>
  readFile(path).catch((cause: unknown) => {
    throw new Fault(`${path} cannot be read.`, `put ${basename(path)} of the release there`, { cause });
  });

/** Names with a star are binary. */
const parseHashes = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm)].map(([, hash = '', name = '']) => [name, hash]));

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
