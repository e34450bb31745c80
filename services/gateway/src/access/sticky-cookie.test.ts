import { randomBytes } from 'node:crypto';
import { defaultBrand } from '@berth/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStickyCookies, isSticky } from './sticky-cookie.ts';

const uid = '0198c0de-0000-7000-8000-000000000001';
const key = randomBytes(32);
let clock = Date.UTC(2026, 0, 1);
const cookies = createStickyCookies({ key, brand: defaultBrand, now: () => clock });
const pairIn = (setCookie: string): string => setCookie.split(';')[0] ?? '';

test('a client that comes back is met by its revision until the time is over', () => {
  const setCookie = cookies.issue({ uid, revision: 'rev-1', seconds: 60 });
  expect(setCookie).toMatch(/^service_revision=[\w.-]+; Path=\/; Max-Age=60; HttpOnly; SameSite=Lax$/);
  const header = `a=b; ${pairIn(setCookie)}; c=d`;
  expect(cookies.read(header, uid)).toBe('rev-1');
  clock += 59_000;
  expect(cookies.read(header, uid)).toBe('rev-1');
  clock += 1_000;
  expect(cookies.read(header, uid)).toBeUndefined();
});

test('a cookie of another workload, with another key or without a signature is ignored, and does not hide a valid one', () => {
  const mine = pairIn(cookies.issue({ uid, revision: 'rev-1', seconds: 60 }));
  const other = { key: randomBytes(32), brand: defaultBrand, now: () => clock };
  const forged = pairIn(createStickyCookies(other).issue({ uid, revision: 'rev-2', seconds: 60 }));
  const foreign = pairIn(cookies.issue({ uid: uid.replace(/1$/, '2'), revision: 'rev-3', seconds: 60 }));
  for (const header of [undefined, '', forged, foreign, 'service_revision=', 'service_revision=....', `x${mine}`]) {
    expect(cookies.read(header, uid)).toBeUndefined();
  }
  expect(cookies.read(`${forged}; ${foreign}; ${mine}`, uid)).toBe('rev-1');
});

test('a sticky cookie with any changed character is invalid', () => {
  const mine = pairIn(cookies.issue({ uid, revision: 'rev-1', seconds: 60 }));
  const start = 'service_revision='.length;
  // The last character of a signature holds bits that the decoder ignores.
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: mine.length - 2 }),
      fc.constantFrom('a', 'Z', '0', '.', '-'),
      (at, sign) => {
        fc.pre(mine[at] !== sign);
        expect(cookies.read(`${mine.slice(0, at)}${sign}${mine.slice(at + 1)}`, uid)).toBeUndefined();
      },
    ),
  );
});

test('a sticky cookie stays on its path, and is Secure when it was set over TLS', () => {
  const setCookie = cookies.issue({ uid, revision: 'rev-1', seconds: 60, path: '/main/agents/a', isTls: true });
  expect(setCookie).toContain('; Path=/main/agents/a; ');
  expect(setCookie).toMatch(/; Secure$/);
});

test('a workload without a canary sets no sticky cookie', () => {
  const traffic = { active: 'a', canary: 'b', canaryPercent: 5, stickySeconds: 60 };
  expect(isSticky(traffic)).toBe(true);
  expect(isSticky({ ...traffic, canary: undefined })).toBe(false);
  expect(isSticky({ ...traffic, stickySeconds: 0 })).toBe(false);
});
