// A client that met a revision of a workload with a canary stays with it for a while: a cookie names the revision, signed, so
// that nobody chooses one. Control-plane sheet 4.6.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Brand } from '@berth/contract';
import type { Traffic } from '../routing/route.ts';

export interface StickyCookies {
  /** The revision that the client met, when it still counts. */
  read(cookieHeader: string | undefined, uid: string): string | undefined;
  /** Value of Set-Cookie. `path` keeps workloads below one host apart. */
  issue(cookie: { uid: string; revision: string; seconds: number; path?: string; isTls?: boolean }): string;
}

/** Without a canary there is nothing to stay with. */
export const isSticky = ({ stickySeconds, canary }: Traffic): boolean => stickySeconds > 0 && canary !== undefined;

export function createStickyCookies(options: { key: Buffer; brand: Brand; now?: () => number }): StickyCookies {
  const { key, brand, now = Date.now } = options;
  const name = `${brand.short}_revision`;
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();

  function revisionIn(value: string, uid: string): string | undefined {
    const [owner, revision, expiry, signature = '', ...more] = value.split('.');
    if (owner !== uid || revision === undefined || more.length > 0) return undefined;
    const expected = sign(`${owner}.${revision}.${expiry}`);
    const given = Buffer.from(signature, 'base64url');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return now() < Number(expiry) * 1000 ? revision : undefined;
  }

  return {
    read(cookieHeader, uid) {
      for (const value of cookiesNamed(name, cookieHeader ?? '')) {
        const revision = revisionIn(value, uid);
        if (revision !== undefined) return revision;
      }
      return undefined;
    },
    issue({ uid, revision, seconds, path = '/', isTls = false }) {
      const text = `${uid}.${revision}.${Math.floor(now() / 1000) + seconds}`;
      const attributes = [
        `Path=${path}`,
        `Max-Age=${seconds}`,
        'HttpOnly',
        'SameSite=Lax',
        ...(isTls ? ['Secure'] : []),
      ];
      return [`${name}=${text}.${sign(text).toString('base64url')}`, ...attributes].join('; ');
    },
  };
}

/** One name may be there several times, for several paths. */
const cookiesNamed = (name: string, header: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
