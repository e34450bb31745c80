// Which of a request's headers is meant for us. Sandbox sheet U-36: the branded header wins and is taken out, and
// Authorization then belongs to the workload.
import type { Brand } from '@berth/contract';
import { brandedNames, onlyValueOf } from './raw-headers.ts';

export type CredentialHeader = 'branded' | 'authorization';

export interface Credential {
  readonly header: CredentialHeader;
  /** Undefined when the header does not hold one bearer value. */
  readonly bearer: string | undefined;
  /** Written like a key of this deployment: it is nobody else's business. */
  readonly isOurs: boolean;
}

const bearerForm = /^Bearer +([\x21-\x7e]{1,4096}) *$/i;

export function credentialIn(rawHeaders: readonly string[], brand: Brand): Credential | undefined {
  const names = brandedNames(brand);
  const branded = onlyValueOf(rawHeaders, names.authorization);
  if (branded !== undefined) return { header: 'branded', bearer: bearerIn(branded), isOurs: true };
  const usual = onlyValueOf(rawHeaders, 'authorization');
  if (usual === undefined) return undefined;
  const bearer = bearerIn(usual);
  return { header: 'authorization', bearer, isOurs: bearer?.startsWith(names.keyPrefix) ?? false };
}

/** Two of them could mean two callers: then neither is believed. */
const bearerIn = (value: string | null): string | undefined =>
  value === null ? undefined : bearerForm.exec(value)?.[1];
