// Which of a request's headers is meant for us. Sandbox sheet U-36: the branded header wins and is taken out, and
// Authorization then belongs to the workload.
import type { Brand } from '@berth/contract';
import { brandedNames, valuesOf } from './raw-headers.ts';

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
  const branded = valuesOf(rawHeaders, brandedNames(brand).authorization);
  if (branded.length > 0) return { header: 'branded', bearer: bearerIn(branded), isOurs: true };
  const usual = valuesOf(rawHeaders, 'authorization');
  if (usual.length === 0) return undefined;
  const bearer = bearerIn(usual);
  return { header: 'authorization', bearer, isOurs: bearer?.startsWith(`${brand.short}_`) ?? false };
}

/** Two of them could mean two callers: then neither is believed. */
const bearerIn = ([value, ...others]: readonly string[]): string | undefined =>
  value === undefined || others.length > 0 ? undefined : bearerForm.exec(value)?.[1];
