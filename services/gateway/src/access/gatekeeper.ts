// Decides which callers may reach a workload. Rules, from the decisions on callers and tenancy:
// - No credential, or a bad one: 401 for every name. Only public workloads need no credential.
// - Good credential, but a foreign or missing workload: the same 404.
// - A public workload has its own callers, who may use Authorization among themselves: a value that is not written like
//   a platform key is passed on. A platform key is checked and removed even there, so that no workload ever sees one.
// - A key with a list of scopes calls a workload only with `call` of its kind, or `admin`. This includes public
// workloads:
//   the workload learns the owner of the key, and a key that may only list templates must not act in its owner's name.
// A trigger with a path has callers by the same rules; the scope is that of starting the job.
import { type Brand, lacksScope, type Scope } from '@berth/contract';
import type { Authenticator, Principal } from '@berth/identity';
import { GatewayError } from '../errors/gateway-error.ts';
import { lookupError } from '../errors/lookup-error.ts';
import type { LookupCache } from '../routing/lookup-cache.ts';
import type { Destination } from '../routing/route.ts';
import type { AdmittedTo } from './admitted.ts';
import { type Credential, type CredentialPlace, credentialIn } from './credential.ts';

/** Fields that decide which callers are admitted. */
interface Guarded {
  readonly workspaceId: string;
  readonly isPublic: boolean;
}

export interface GatekeeperOptions<Name extends Destination, Found extends Guarded> {
  /** Configured with `staleMs`, so that known callers are served while PostgreSQL is away. */
  readonly authenticator: Authenticator;
  readonly cache: Pick<LookupCache<Name, Found>, 'find' | 'peek'>;
  readonly brand: Brand;
  /** Scope that a key with a list of scopes needs. */
  readonly scopeOf: (found: Found) => Scope;
}

export interface Gatekeeper<Name extends Destination, Found extends Guarded> {
  /**
   * Throws a GatewayError for a caller who may not pass. Returns synchronously when caller and workload are cached, as
   * for most requests.
   */
  admit(route: Name, rawHeaders: readonly string[]): AdmittedTo<Found> | Promise<AdmittedTo<Found>>;
}

/** Created once: in a flood, the stack trace of every refusal would cost more than the refusal. */
const failed = new GatewayError('AUTHENTICATION_FAILED');
export const required = new GatewayError('AUTHENTICATION_REQUIRED');

export function createGatekeeper<Name extends Destination, Found extends Guarded>({
  authenticator,
  cache,
  brand,
  scopeOf,
}: GatekeeperOptions<Name, Found>): Gatekeeper<Name, Found> {
  async function principalOf({ bearer }: Credential): Promise<Principal> {
    const principal = bearer === undefined ? undefined : await authenticate(authenticator, bearer);
    if (principal === undefined) throw failed;
    return principal;
  }

  /**
   * Admits a caller without a platform credential to a public workload. Undefined otherwise, because the existence of
   * other workloads must not show.
   */
  async function admitStranger(route: Name): Promise<AdmittedTo<Found> | undefined> {
    const workload = await cache.find(route);
    return workload?.isPublic ? { workload, principal: undefined, consumed: undefined } : undefined;
  }

  function admitMember(
    workload: Found | undefined,
    principal: Principal,
    consumed: CredentialPlace,
  ): AdmittedTo<Found> {
    const isMember = principal.memberships.some(({ workspaceId }) => workspaceId === workload?.workspaceId);
    if (workload === undefined || !(isMember || workload.isPublic)) throw new GatewayError('WORKLOAD_NOT_FOUND');
    const missing = lacksScope(principal.scopes, [scopeOf(workload)]);
    if (missing !== undefined) throw lacking(missing);
    return { workload, principal, consumed };
  }

  async function admitPrincipal(route: Name, credential: Credential): Promise<AdmittedTo<Found>> {
    const principal = await principalOf(credential);
    return admitMember(await cache.find(route, 'caller'), principal, credential.place);
  }

  function admitRemembered(route: Name, { bearer, place }: Credential): AdmittedTo<Found> | undefined {
    const principal = bearer === undefined ? undefined : authenticator.remembered(bearer);
    const workload = principal === undefined ? undefined : cache.peek(route);
    return principal === undefined || workload === undefined ? undefined : admitMember(workload, principal, place);
  }

  async function admitUnknown(route: Name, credential: Credential | undefined): Promise<AdmittedTo<Found>> {
    const stranger = await admitStranger(route);
    if (stranger !== undefined) return stranger;
    if (credential === undefined) throw required;
    return admitPrincipal(route, credential);
  }

  return {
    admit(route, rawHeaders) {
      const credential = credentialIn(route, rawHeaders, brand);
      if (!credential?.isOurs) return admitUnknown(route, credential);
      return admitRemembered(route, credential) ?? admitPrincipal(route, credential);
    },
  };
}

const lacking = (scope: string): GatewayError =>
  new GatewayError('FORBIDDEN', {
    message: `The key is limited by its scopes and lacks ${scope}.`,
    action: `Use a key whose scopes hold ${scope}, or one without a list of scopes.`,
    doNot: 'Do not retry with the same key.',
  });

async function authenticate(authenticator: Authenticator, bearer: string): Promise<Principal | undefined> {
  try {
    return await authenticator.authenticate(bearer);
  } catch (error) {
    throw lookupError(error);
  }
}
