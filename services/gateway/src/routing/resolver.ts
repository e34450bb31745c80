import type { Destination } from './route.ts';

/** Address of a request: its host and its request target. */
interface Addressed {
  /** Lower case, without a port. */
  readonly host: string;
  /** Begins with `/`; not decoded, not normalised. */
  readonly rawTarget: string;
}

export interface ResolverSettings {
  /** Domain below which workloads have host names. */
  readonly workloadDomain: string;
  /** True for a host name of the gateway itself; see own-hosts.ts. */
  readonly isOwnHost: (host: string) => boolean;
}

/** One form of address. A resolver does not check whether what it names exists. */
export interface Resolver {
  readonly name: string;
  resolve(request: Addressed, settings: ResolverSettings): Destination | undefined;
}
