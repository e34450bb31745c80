import type { Choices } from '../install/install-record.ts';

/** Host names of the edge. Without a domain both are the address of the machine, and the path decides. */
export const edgeHosts = ({ domain, address }: Pick<Choices, 'domain' | 'address'>) =>
  domain === undefined ? { api: address, gateway: address } : { api: `api.${domain}`, gateway: `run.${domain}` };

/** Names that have to lead to this machine before it can get certificates. */
export const publicHosts = ({ domain }: Pick<Choices, 'domain'>): string[] =>
  domain === undefined ? [] : [`api.${domain}`, `run.${domain}`];
