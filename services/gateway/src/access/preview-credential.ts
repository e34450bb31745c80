// Tokens that a request at a preview carries: in a header, in the query, or in the cookie that the gateway set after one of
// those (sandbox sheet U-16). They are for us: nothing of them goes on to the sandbox, nor into a log.
import { type Brand, headerNames, previewTokenParameter } from '@berth/contract';
import { valuesOf } from './raw-headers.ts';

export interface PreviewCredential {
  readonly value: string;
  readonly from: 'header' | 'query' | 'cookie';
}

const tokenForm = /^[A-Za-z0-9_-]{1,128}$/;

export function previewCredentials(rawHeaders: readonly string[], path: string, brand: Brand): PreviewCredential[] {
  const parameter = previewTokenParameter(brand);
  const found: PreviewCredential[] = [
    ...valuesOf(rawHeaders, headerNames(brand).previewToken.toLowerCase()).map(from('header')),
    ...queryParts(path).filter(isNamed(parameter)).map(valueIn).map(from('query')),
    ...valuesOf(rawHeaders, 'cookie').flatMap(cookiesIn).filter(isNamed(parameter)).map(valueIn).map(from('cookie')),
  ];
  return found.filter(({ value }) => tokenForm.test(value));
}

const from = (place: PreviewCredential['from']) => (value: string) => ({ value, from: place });

/** The path without the parameter, whatever else is in the query untouched. */
export function withoutPreviewToken(path: string, brand: Brand): string {
  const isToken = isNamed(previewTokenParameter(brand));
  const parts = queryParts(path);
  if (!parts.some(isToken)) return path;
  const kept = parts.filter((part) => !isToken(part));
  const before = path.slice(0, path.indexOf('?'));
  return kept.length === 0 ? before : `${before}?${kept.join('&')}`;
}

/** A Cookie header without ours; undefined when nothing is left of it. */
export function withoutPreviewCookie(cookies: string, brand: Brand): string | undefined {
  const isToken = isNamed(previewTokenParameter(brand));
  const parts = cookiesIn(cookies);
  if (!parts.some(isToken)) return cookies;
  const kept = parts.filter((part) => !isToken(part)).join('; ');
  return kept === '' ? undefined : kept;
}

/**
 * Lives as long as the token. A page may be shown inside another site's, so it is sent there too, once it was opened there: browsers
 * that know `Partitioned` keep a cookie for each site that shows the page.
 */
export const previewCookie = (token: string, endsInMs: number, brand: Brand): string =>
  [
    `${previewTokenParameter(brand)}=${token}`,
    `Max-Age=${Math.max(1, Math.ceil(endsInMs / 1_000))}`,
    'Path=/',
    'HttpOnly',
    'Secure',
    'SameSite=None',
    'Partitioned',
  ].join('; ');

const queryParts = (path: string): string[] => {
  const at = path.indexOf('?');
  return at === -1 ? [] : path.slice(at + 1).split('&');
};

const cookiesIn = (header: string): string[] => header.split(';').map((pair) => pair.trim());

/** However it is spelled: whoever reads it decodes it first. */
const isNamed =
  (name: string) =>
  (part: string): boolean =>
    decoded(part.split('=', 1)[0] ?? '') === name;

const valueIn = (part: string): string => decoded(part.slice(part.indexOf('=') + 1)) ?? '';

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' ')).trim();
  } catch {
    return undefined;
  }
}
