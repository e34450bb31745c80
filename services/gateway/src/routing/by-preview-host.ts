// Address form `<label>.<region>.preview.<domain>`, and hosts below customers' own domains. Table `preview_hosts` maps
// a host to its preview.
import { DomainName } from '@berth/contract';
import type { Resolver } from './resolver.ts';

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const regionName = /^[a-z0-9-]{1,63}$/;

export const byPreviewHost: Resolver = {
  name: 'preview host',
  resolve({ host, rawTarget }, { workloadDomain }) {
    const end = `.preview.${workloadDomain.toLowerCase()}`;
    if (!host.endsWith(end)) return undefined;
    const [first = '', region = '', ...more] = host.slice(0, -end.length).split('.');
    if (more.length > 0 || !label.test(first) || !regionName.test(region)) return undefined;
    return { by: 'preview', region, label: first, path: rawTarget };
  },
};

/** Every other domain may belong to a customer; the gateway's own names never do. */
export const byCustomHost: Resolver = {
  name: 'custom host',
  resolve({ host, rawTarget }, { workloadDomain, isOwnHost }) {
    if (isOwnHost(host) || host.endsWith(`.${workloadDomain.toLowerCase()}`)) return undefined;
    if (!DomainName.safeParse(host).success) return undefined;
    return { by: 'preview', region: '', label: host, path: rawTarget };
  },
};
