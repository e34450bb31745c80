// Decides which callers may reach a workload. Rules, from the decisions on callers and tenancy:
// - No credential, or a bad one: 401 for every name. Only public workloads need no credential.
// - Good credential, but a foreign or missing workload: the same 404.
// - A public workload has its own callers, who may use Authorization among themselves: a value that is not written like
//   a platform key is passed on. A platform key is checked and removed even there, so that no workload ever sees one.
// - A key with a list of scopes calls a workload only with `call` of its kind, or `admin`. This includes public
// workloads:
//   the workload learns the owner of the key, and a key that may only list templates must not act in its owner's name.
import { type Brand, lacksScope } from '@berth/contract';
import type { Authenticator, Principal } from '@berth/identity';
import { GatewayError } from '../errors/gateway-error.ts';
import { lookupError } from '../errors/lookup-error.ts';
import type { Route } from '../routing/route.ts';
import type { WorkloadCache } from '../routing/workload-cache.ts';
import type { Workload } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { Admitted } from './admitted.ts';
import { type Credential, type CredentialPlace, credentialIn } from './credential.ts';

export interface GatekeeperOptions {
  /** Configured with `staleMs`, so that known callers are served while PostgreSQL is away. */
  readonly authenticator: Authenticator;
  readonly cache: Pick<WorkloadCache, 'find' | 'peek'>;
  readonly brand: Brand;
}

export interface Gatekeeper {
  /**
   * Throws a GatewayError for a caller who may not pass. Returns synchronously when caller and workload are cached, as
   * for most requests.
   */
  admit(route: Route, rawHeaders: readonly string[]): Admitted | Promise<Admitted>;
}

/** Created once: in a flood, the stack trace of every refusal would cost more than the refusal. */
const failed = new GatewayError('AUTHENTICATION_FAILED');
const required = new GatewayError('AUTHENTICATION_REQUIRED');

export function createGatekeeper({ authenticator, cache, brand }: GatekeeperOptions): Gatekeeper {
  async function principalOf({ bearer }: Credential): Promise<Principal> {
    const principal = bearer === undefined ? undefined : await authenticate(authenticator, bearer);
    if (principal === undefined) throw failed;
    return principal;
  }

  /**
   * Admits a caller without a platform credential to a public workload. Undefined otherwise, because the existence of
   * other workloads must not show.
   */
  async function admitStranger(route: Route): Promise<Admitted | undefined> {
    const workload = await cache.find(route);
    return workload?.isPublic ? { workload, principal: undefined, consumed: undefined } : undefined;
  }

  async function admitPrincipal(route: Route, credential: Credential): Promise<Admitted> {
    const principal = await principalOf(credential);
    return admitMember(await cache.find(route, 'caller'), principal, credential.place);
  }

  function admitRemembered(route: Route, { bearer, place }: Credential): Admitted | undefined {
    const principal = bearer === undefined ? undefined : authenticator.remembered(bearer);
    const workload = principal === undefined ? undefined : cache.peek(route);
    return principal === undefined || workload === undefined ? undefined : admitMember(workload, principal, place);
  }

  async function admitUnknown(route: Route, credential: Credential | undefined): Promise<Admitted> {
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

function admitMember(workload: Workload | undefined, principal: Principal, consumed: CredentialPlace): Admitted {
  const isMember = principal.memberships.some(({ workspaceId }) => workspaceId === workload?.workspaceId);
  if (workload === undefined || !(isMember || workload.isPublic)) throw new GatewayError('WORKLOAD_NOT_FOUND');
  const missing = lacksScope(principal.scopes, [workloadKinds[workload.kind].callScope]);
  if (missing !== undefined) throw lacking(missing);
  return { workload, principal, consumed };
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
