// Key that signs the runner's calls to its guests. Sandboxes outlive the runner process, so the key is on disk.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomically } from '../state/write-file-atomically.ts';

const fileName = 'control-key.pem';

export interface ControlKey {
  readonly privateKey: KeyObject;
  /** Public key that guests are started with: SPKI as base64. */
  readonly publicText: string;
}

export async function openControlKey(stateFolder: string): Promise<ControlKey> {
  const path = join(stateFolder, fileName);
  const pem = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (pem !== undefined) return controlKey(createPrivateKey(pem));
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFileAtomically(path, String(privateKey.export({ type: 'pkcs8', format: 'pem' })));
  return controlKey(privateKey);
}

const controlKey = (privateKey: KeyObject): ControlKey => ({
  privateKey,
  publicText: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
});
