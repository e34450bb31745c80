// Finds the platform credential of a request: in a header, or for a terminal in the query. Sandbox sheet U-36: the
// branded header wins and is removed, and Authorization then belongs to the workload. Clients of model providers send their
// key in other headers, or in the query.
import type { Brand } from '@berth/contract';
import { brandedNames, onlyValueOf } from '../http/raw-headers.ts';
import { addressedKind } from '../routing/addressed-kind.ts';
import type { Destination, ModelRoute } from '../routing/route.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';

export type CredentialPlace = 'branded' | 'authorization' | 'provider' | 'query';

export interface Credential {
  readonly place: CredentialPlace;
  /** Undefined when the header or parameter does not hold exactly one bearer value. */
  readonly bearer: string | undefined;
  /**
   * True when the credential is in a place reserved for the platform, or written like a key of this deployment. Such a
   * credential must not reach a workload.
   */
  readonly isOurs: boolean;
}

const bearerForm = /^Bearer +([\x21-\x7e]{1,4096}) *$/i;

export function credentialIn(route: Destination, rawHeaders: readonly string[], brand: Brand): Credential | undefined {
  const names = brandedNames(brand);
  const branded = onlyValueOf(rawHeaders, names.authorization);
  if (branded !== undefined) return { place: 'branded', bearer: bearerIn(branded), isOurs: true };
  if (route.by === 'model') return credentialForModel(route, rawHeaders);
  const usual = onlyValueOf(rawHeaders, 'authorization');
  if (usual === undefined) return credentialInQuery(route);
  const bearer = bearerIn(usual);
  return { place: 'authorization', bearer, isOurs: bearer?.startsWith(names.keyPrefix) ?? false };
}

/** Where clients of the providers put their key, beside `Authorization`. */
const providerHeaders = ['x-api-key', 'x-goog-api-key', 'api-key'];
/** No credential of a client reaches a provider, so each is the platform's. */
function credentialForModel({ path }: ModelRoute, rawHeaders: readonly string[]): Credential | undefined {
  const usual = onlyValueOf(rawHeaders, 'authorization');
  if (usual !== undefined) return { place: 'authorization', bearer: bearerIn(usual), isOurs: true };
  const sent = providerHeaders.map((name) => onlyValueOf(rawHeaders, name)).find((value) => value !== undefined);
  const value = sent === undefined ? keyInQuery(path) : sent;
  if (value === undefined) return undefined;
  return { place: 'provider', bearer: bearerIn(value === null ? null : `Bearer ${value}`), isOurs: true };
}

/** Null when there are several. */
function keyInQuery(path: string): string | undefined | null {
  const at = path.indexOf('?');
  const keys = at === -1 ? [] : new URLSearchParams(path.slice(at)).getAll('key');
  return keys.length > 1 ? null : keys[0];
}

function credentialInQuery(route: Exclude<Destination, ModelRoute>): Credential | undefined {
  if (route.by === 'trigger') return undefined;
  const kind = addressedKind(route);
  const token = kind === undefined ? undefined : workloadKinds[kind].tokenInQuery?.(route.path);
  if (token === undefined) return undefined;
  return { place: 'query', bearer: bearerIn(token === null ? null : `Bearer ${token}`), isOurs: true };
}

/** Null means that the value occurs twice. Two values could name two callers, so neither is accepted. */
const bearerIn = (value: string | null): string | undefined =>
  value === null ? undefined : bearerForm.exec(value)?.[1];
