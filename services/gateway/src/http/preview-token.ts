// Tokens that a request to a preview carries: in a header, in the query, or in the cookie that the gateway set after
// one of those (sandbox sheet U-16). They are meant for the gateway and never reach the sandbox or a log.
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

/** Removes the token parameter from the path; the rest of the query stays unchanged. */
export function withoutPreviewToken(path: string, brand: Brand): string {
  const isToken = isNamed(previewTokenParameter(brand));
  const parts = queryParts(path);
  if (!parts.some(isToken)) return path;
  const kept = parts.filter((part) => !isToken(part));
  const before = path.slice(0, path.indexOf('?'));
  return kept.length === 0 ? before : `${before}?${kept.join('&')}`;
}

/** Removes the preview cookie from a Cookie header; undefined when no cookie is left. */
export function withoutPreviewCookie(cookies: string, brand: Brand): string | undefined {
  const isToken = isNamed(previewTokenParameter(brand));
  const parts = cookiesIn(cookies);
  if (!parts.some(isToken)) return cookies;
  const kept = parts.filter((part) => !isToken(part)).join('; ');
  return kept === '' ? undefined : kept;
}

/**
 * Cookie that lives as long as the token. A preview may be embedded in a page of another site, so browsers have to send
 * the cookie there too. Browsers that know `Partitioned` keep one cookie per embedding site.
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

/** Compares the decoded name, because a reader decodes it too: an encoded spelling must not slip past. */
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
