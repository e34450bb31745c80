// Identity of this runner: its key, its certificate, and the authority it trusts. They are stored in one file, so
// that a key and its certificate are always replaced together.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ingressServerName } from '@berth/contract/node';
import { isDueForRenewal } from '@berth/wire';
import { z } from 'zod';
import { writeFileAtomically } from '../state/write-file-atomically.ts';

const Identity = z.object({ runnerId: z.uuid(), key: z.string(), certificate: z.string(), authority: z.string() });
export type Identity = z.infer<typeof Identity>;

const fileIn = (stateFolder: string): string => join(stateFolder, 'identity.json');

export async function loadIdentity(stateFolder: string): Promise<Identity | undefined> {
  const text = await readFile(fileIn(stateFolder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return text === undefined ? undefined : Identity.parse(JSON.parse(text));
}

/** Only the runner's own account may read the key. */
export function saveIdentity(stateFolder: string, identity: Identity): Promise<void> {
  return writeFileAtomically(fileIn(stateFolder), JSON.stringify(identity), 0o600);
}

export function isExpired({ certificate }: Identity, nowMs: number): boolean {
  return new X509Certificate(certificate).validToDate.getTime() <= nowMs;
}

/** A certificate that does not name this runner's ingress comes from an older api; no gateway would accept it. */
export function needsRenewal({ runnerId, certificate }: Identity, nowMs: number): boolean {
  const namesIngress = new X509Certificate(certificate).checkHost(ingressServerName(runnerId)) !== undefined;
  return isDueForRenewal(certificate, nowMs) || !namesIngress;
}
