// Host names of the gateway itself, where a path names a workload. On every other host the path belongs to the workload of that
// host: a stranger's agent at /{workspace}/agents/{name} of a customer's domain would run script in the customer's origin.
import { hostIn } from './host.ts';

export interface OwnHostSettings {
  /** What the operator has listed; undefined stands for the names that follow from the domain. */
  readonly hosts: readonly string[] | undefined;
  readonly workloadDomain: string;
  /** Address that the gateway listens on. */
  readonly listensOn: string;
}

const loopback = /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

/** Takes hosts in lower case, without a port. Loopback is always the gateway's own: no customer has a domain there. */
export function ownHosts({ hosts, workloadDomain, listensOn }: OwnHostSettings): (host: string) => boolean {
  const named = hosts ?? [workloadDomain, `run.${workloadDomain}`];
  const own = new Set([...named, listensOn].map(plainHost));
  return (host) => own.has(host) || loopback.test(host);
}

/** As `hostIn` reads it in a request. An IPv6 address may stand here without its brackets. */
export function plainHost(host: string): string | undefined {
  return hostIn(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host);
}
