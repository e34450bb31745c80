// A browser adds the preview's cookie to requests of any page. A state-changing request (a write, or a protocol
// upgrade, which CORS does not cover) that shows its token only as a cookie must therefore come from the preview's own
// pages or from an origin that its owner lists.
import { onlyValueOf, valuesOf } from '../http/raw-headers.ts';

export interface CookieRequest {
  readonly method: string | undefined;
  readonly rawHeaders: readonly string[];
  /** Origins allowed besides the preview's own. */
  readonly listed: readonly string[];
  /** True for the API of a sandbox, which reads every body as JSON. */
  readonly isApi: boolean;
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);
const ownSites = new Set<string | undefined>(['same-origin', 'none', undefined]);
/** Content types that a form of any page can send without a CORS preflight. */
const formBody = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

export function isOfForeignPage({ method = 'GET', rawHeaders, listed, isApi }: CookieRequest): boolean {
  if (readOnly.has(method) && valuesOf(rawHeaders, 'upgrade').length === 0) return false;
  const origin = onlyValueOf(rawHeaders, 'origin');
  if (origin === null) return true;
  if (origin !== undefined && listed.includes(origin)) return false;
  // A neighbour below the same domain counts as same-site for browsers, but is foreign here.
  const site = onlyValueOf(rawHeaders, 'sec-fetch-site');
  if (site === null || !ownSites.has(site)) return true;
  if (origin !== undefined) return !isAtHost(origin, onlyValueOf(rawHeaders, 'host') ?? '');
  // Without Origin and Sec-Fetch-Site the client is a program or a very old browser. A form body sent to the JSON API
  // is taken for the latter.
  return isApi && site === undefined && valuesOf(rawHeaders, 'content-type').some((type) => formBody.test(type));
}

/** Some edges add the default port to the host; browsers leave it out of the origin. */
function isAtHost(origin: string, host: string): boolean {
  const [, scheme = '', authority] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  const usualPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  return authority?.toLowerCase() === host.toLowerCase().replace(usualPort, '');
}
