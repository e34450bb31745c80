// Host names of the gateway itself, where a path names a workload. On every other host the path belongs to the workload
// of that host: otherwise a stranger's agent at /{workspace}/agents/{name} of a customer's domain would run script in
// the customer's origin.
import { hostIn } from './host.ts';

export interface OwnHostSettings {
  /** Hosts listed by the operator; undefined means the default names below `workloadDomain`. */
  readonly hosts: readonly string[] | undefined;
  readonly workloadDomain: string;
  /** Address that the gateway listens on. */
  readonly listensOn: string;
}

const loopback = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/**
 * Takes hosts in lower case, without a port. Loopback always belongs to the gateway: no customer has a domain there.
 */
export function ownHosts({ hosts, workloadDomain, listensOn }: OwnHostSettings): (host: string) => boolean {
  const named = hosts ?? [workloadDomain, `run.${workloadDomain}`];
  const own = new Set([...named, listensOn].map(plainHost));
  return (host) => own.has(host) || loopback.test(host);
}

/** Normalised as `hostIn` normalises the host of a request. An IPv6 address may be given without brackets. */
export function plainHost(host: string): string | undefined {
  return hostIn(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
}
