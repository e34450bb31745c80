// The edge: TLS for the api and the gateways. Certificates are never asked for names of sandboxes, because a public authority gives
// a domain only some fifty a week.
import type { Choices } from '../install/install-record.ts';
import { ports } from '../machine/ports.ts';
import { edgeHosts } from './edge-hosts.ts';

/** Files beside the Caddyfile, as the container sees them. */
export const edgeFiles = { root: 'acme-root.pem', certificate: 'wildcard.pem', key: 'wildcard.key' } as const;
const folder = '/etc/caddy';

/** Name of the only region of an installation. */
const region = 'local';

export function caddyfile(choices: Choices): string {
  const { domain } = choices;
  const sites = domain === undefined ? sitesByAddress(choices) : [...sitesByName(choices), ...wildcardSites(choices)];
  return [...globalOptions(choices), ...snippets, ...sites, ''].join('\n');
}

function globalOptions({ domain, email, address, acmeCa, hasAcmeRoot }: Choices): string[] {
  return [
    '{',
    // Every account of the machine could change the edge through it.
    '\tadmin off',
    '\tskip_install_trust',
    ...(domain === undefined
      ? [`\tdefault_sni ${address}`]
      : [`\temail ${email}`, ...(acmeCa === undefined ? [] : [`\tacme_ca ${acmeCa}`])]),
    ...(domain !== undefined && hasAcmeRoot ? [`\tacme_ca_root ${folder}/${edgeFiles.root}`] : []),
    // HTTP/3 would need UDP on port 443.
    '\tservers {',
    '\t\tprotocols h1 h2',
    '\t}',
    '}',
  ];
}

/** Requests wait for a process that is being restarted. Bodies are not buffered: that is the default. */
const snippet = (name: string, port: number): string[] => [
  `(${name}) {`,
  `\treverse_proxy 127.0.0.1:${port} {`,
  '\t\tlb_try_duration 15s',
  '\t}',
  '}',
];
const snippets = [...snippet('api', ports.api), ...snippet('gateways', ports.gateway)];

const sitesByName = (choices: Choices): string[] => {
  const { api, gateway } = edgeHosts(choices);
  return [`${api} {`, '\timport api', '}', `${gateway} {`, '\timport gateways', '}', ...plainSite(gateway)];
};

const sitesByAddress = ({ address }: Choices): string[] => [
  `https://${address} {`,
  '\ttls internal',
  '\t@api path /v0 /v0/* /docs /docs/* /.well-known/* /install/*',
  '\thandle @api {',
  '\t\timport api',
  '\t}',
  '\thandle {',
  '\t\timport gateways',
  '\t}',
  '}',
  ...plainSite(address),
];

/** Tasks read their arguments without TLS where they do not trust the authority: the token is signed. With one machine no packet leaves it. */
const plainSite = (gateway: string): string[] => [
  `http://${gateway} {`,
  '\thandle /-/tasks/* {',
  '\t\timport gateways',
  '\t}',
  '\thandle {',
  '\t\tredir https://{host}{uri} 308',
  '\t}',
  '}',
];

function wildcardSites({ domain, hasWildcard }: Choices): string[] {
  if (!hasWildcard) return [];
  return [
    `*.${region}.${domain}, *.${region}.preview.${domain} {`,
    `\ttls ${folder}/${edgeFiles.certificate} ${folder}/${edgeFiles.key}`,
    '\timport gateways',
    '}',
  ];
}
