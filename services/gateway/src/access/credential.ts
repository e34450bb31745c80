// What of a request is meant for us: a header, or of a terminal its query. Sandbox sheet U-36: the branded header wins and is taken out, and
// Authorization then belongs to the workload.
import type { Brand } from '@berth/contract';
import type { Named } from '../routing/route.ts';
import { terminalToken } from '../routing/terminal-token.ts';
import { brandedNames, onlyValueOf } from './raw-headers.ts';

/** Where it stands. */
export type CredentialPlace = 'branded' | 'authorization' | 'query';

export interface Credential {
  readonly place: CredentialPlace;
  /** Undefined when it is not one bearer value. */
  readonly bearer: string | undefined;
  /** Written like a key of this deployment: it is nobody else's business. */
  readonly isOurs: boolean;
}

const bearerForm = /^Bearer +([\x21-\x7e]{1,4096}) *$/i;

export function credentialIn(named: Named, rawHeaders: readonly string[], brand: Brand): Credential | undefined {
  const names = brandedNames(brand);
  const branded = onlyValueOf(rawHeaders, names.authorization);
  if (branded !== undefined) return { place: 'branded', bearer: bearerIn(branded), isOurs: true };
  const usual = onlyValueOf(rawHeaders, 'authorization');
  if (usual === undefined) return isOfSandbox(named) ? credentialInQuery(named.path) : undefined;
  const bearer = bearerIn(usual);
  return { place: 'authorization', bearer, isOurs: bearer?.startsWith(names.keyPrefix) ?? false };
}

function credentialInQuery(path: string): Credential | undefined {
  const token = terminalToken(path);
  if (token === undefined) return undefined;
  return { place: 'query', bearer: bearerIn(token === null ? null : `Bearer ${token}`), isOurs: true };
}

/** As far as its address says. */
const isOfSandbox = (named: Named): boolean =>
  named.by === 'path' ? named.kind === 'sandbox' : named.label.startsWith('sbx-');

/** Two of them could mean two callers: then neither is believed. */
const bearerIn = (value: string | null): string | undefined =>
  value === null ? undefined : bearerForm.exec(value)?.[1];
