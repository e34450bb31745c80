import type { Named } from './route.ts';

/** What the first line and the host of a request say. */
interface Addressed {
  /** Lower case, without a port. */
  readonly host: string;
  /** Begins with `/`; not decoded, not normalised. */
  readonly rawTarget: string;
}

export interface ResolverSettings {
  /** Below which workloads have host names. */
  readonly workloadDomain: string;
  /** Whether a host is a name of the gateway itself; see own-hosts.ts. */
  readonly isOwnHost: (host: string) => boolean;
}

/** One way in which an address names a workload. Whether there is such a workload is not its question. */
export interface Resolver {
  readonly name: string;
  resolve(request: Addressed, settings: ResolverSettings): Named | undefined;
}
