// Walls between tenants inside one visitor's browser, put around every answer of a workload:
// - A cookie stays with the host that set it. Below the deployment's domain a neighbour's host would get it otherwise; below a
//   customer's own domain it may be shared.
// - On the gateway's own hosts workloads share one origin. A cookie there stays below the path of its workload, and a document
//   gets an origin of its own, so that its script reads no storage of another tenant and no answer of one. To whatever is not a
//   document, such as what `fetch` or EventSource read, a sandbox means nothing.
// - Headers that speak for the whole origin are no single tenant's to send there.
import { pairsOf } from '../proxy/hop-by-hop.ts';

export interface Walls {
  /** A customer's own domain. */
  readonly domain: string | undefined;
  /** Of a workload on a host that it shares; empty elsewhere. */
  readonly path: string;
}

/** All that a page needs but `allow-same-origin`. */
const ownOrigin =
  'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts';

const forTheWholeOrigin = new Set(['alt-svc', 'clear-site-data', 'nel', 'report-to', 'strict-transport-security']);

/** Names and values in turn. A policy of the workload's own stays: browsers enforce both. */
export function walledAnswer(rawHeaders: readonly string[], walls: Walls): string[] {
  const headers: string[] = [];
  const isShared = walls.path !== '';
  for (const [name, value] of pairsOf(rawHeaders)) {
    const lower = name.toLowerCase();
    if (isShared && forTheWholeOrigin.has(lower)) continue;
    headers.push(name, lower === 'set-cookie' ? walledCookie(value, walls) : value);
  }
  if (isShared) headers.push('Content-Security-Policy', ownOrigin);
  return headers;
}

/** Value of Set-Cookie. What does not reach beyond the walls stays as it was written. */
export function walledCookie(setCookie: string, { domain, path }: Walls): string {
  const [pair = '', ...attributes] = setCookie.split(';');
  const kept = attributes.filter((attribute) => {
    const [name, value] = attributeIn(attribute);
    if (name === 'domain') return isWithin(domain, value);
    return name !== 'path' || path === '' || value === path || value.startsWith(`${path}/`);
  });
  const hasPath = path === '' || kept.some((attribute) => attributeIn(attribute)[0] === 'path');
  return [pair, ...kept, ...(hasPath ? [] : [` Path=${path}`])].join(';');
}

function attributeIn(attribute: string): [name: string, value: string] {
  const [name = '', ...value] = attribute.split('=');
  return [name.trim().toLowerCase(), value.join('=').trim()];
}

function isWithin(domain: string | undefined, asked: string): boolean {
  const plain = asked.toLowerCase().replace(/^\./, '');
  return domain !== undefined && (plain === domain || plain.endsWith(`.${domain}`));
}
