// A browser adds the preview's cookie to whatever any page asks for. So a request that acts (a write, or a change of protocol, which CORS
// does not cover) and shows its token as a cookie alone has to come from the preview's own pages, or from an origin that its owner lists.
import { onlyValueOf, valuesOf } from './raw-headers.ts';

export interface CookieRequest {
  readonly method: string | undefined;
  readonly rawHeaders: readonly string[];
  /** Origins besides the preview's own. */
  readonly listed: readonly string[];
  /** The API of a sandbox, which reads every body as JSON. */
  readonly isApi: boolean;
}

const readOnly = new Set(['GET', 'HEAD', 'OPTIONS']);
const ownSites = new Set<string | undefined>(['same-origin', 'none', undefined]);
/** What a form of any page can send without being asked first. */
const formBody = /^\s*(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)\s*(?:;|$)/i;

export function isOfForeignPage({ method = 'GET', rawHeaders, listed, isApi }: CookieRequest): boolean {
  if (readOnly.has(method) && valuesOf(rawHeaders, 'upgrade').length === 0) return false;
  const origin = onlyValueOf(rawHeaders, 'origin');
  if (origin === null) return true;
  if (origin !== undefined && listed.includes(origin)) return false;
  // A neighbour below the same domain is of the same site, and foreign all the same.
  const site = onlyValueOf(rawHeaders, 'sec-fetch-site');
  if (site === null || !ownSites.has(site)) return true;
  if (origin !== undefined) return !isAtHost(origin, onlyValueOf(rawHeaders, 'host') ?? '');
  // No browser of today: a program, or a browser so old that it says neither.
  return isApi && site === undefined && valuesOf(rawHeaders, 'content-type').some((type) => formBody.test(type));
}

/** Some edges add the port to the host that browsers leave out. */
function isAtHost(origin: string, host: string): boolean {
  const [, scheme = '', authority] = /^(https?):\/\/([^/]+)$/i.exec(origin) ?? [];
  const usualPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  return authority?.toLowerCase() === host.toLowerCase().replace(usualPort, '');
}
