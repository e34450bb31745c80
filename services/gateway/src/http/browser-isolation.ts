// Isolation between tenants inside one visitor's browser, applied to every response of a workload:
// - A cookie stays with the host that set it. Below the deployment's domain a neighbour's host would receive it
// otherwise;
//   below a customer's own domain it may be shared.
// - On the gateway's own hosts all workloads share one origin. A cookie there stays below the path of its workload. A
//   document gets its own opaque origin, so that its script cannot read storage or responses of another tenant. A
//   sandbox
//   policy has no effect on responses that are not documents, such as those read by `fetch` or EventSource.
// - Headers that affect the whole origin are removed there, because no single tenant may send them.
import { pairsOf } from './hop-by-hop.ts';

export interface Isolation {
  /** Custom domain of a customer. */
  readonly domain: string | undefined;
  /** Path of a workload on a shared host; empty elsewhere. */
  readonly path: string;
}

/** Grants everything that a page needs except `allow-same-origin`. */
const ownOrigin =
  'sandbox allow-downloads allow-forms allow-modals allow-popups allow-popups-to-escape-sandbox allow-scripts';

const forTheWholeOrigin = new Set(['alt-svc', 'clear-site-data', 'nel', 'report-to', 'strict-transport-security']);

/** Takes and returns names and values in turn. The workload's own policy stays: browsers enforce both. */
export function isolateResponse(rawHeaders: readonly string[], isolation: Isolation): string[] {
  const headers: string[] = [];
  const isShared = isolation.path !== '';
  for (const [name, value] of pairsOf(rawHeaders)) {
    const lower = name.toLowerCase();
    if (isShared && forTheWholeOrigin.has(lower)) continue;
    headers.push(name, lower === 'set-cookie' ? isolateCookie(value, isolation) : value);
  }
  if (isShared) headers.push('Content-Security-Policy', ownOrigin);
  return headers;
}

/** Takes and returns a value of Set-Cookie. A cookie that stays within these bounds is returned unchanged. */
export function isolateCookie(setCookie: string, { domain, path }: Isolation): string {
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
