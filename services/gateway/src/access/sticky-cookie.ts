// A client of a workload with a canary keeps its revision for a while: a cookie names the revision. It is signed, so
// that clients cannot choose a revision. Control-plane sheet 4.6.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Brand } from '@berth/contract';
import type { Traffic } from '../workloads/workload.ts';

export interface StickyCookies {
  /** Revision named by a valid, unexpired cookie of this workload. */
  read(cookieHeader: string | undefined, uid: string): string | undefined;
  /** Value of Set-Cookie. `path` separates workloads on one host. */
  issue(cookie: { uid: string; revision: string; seconds: number; path?: string; isTls?: boolean }): string;
}

/** Without a canary there is only one revision, so no cookie is needed. */
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

/** A name may occur several times, once per path. */
const cookiesNamed = (name: string, header: string): string[] =>
  header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
