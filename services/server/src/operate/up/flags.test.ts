import { expect, test } from 'vitest';
import { decideChoices, UpFlags } from './flags.ts';

const decide = (flags: object, earlier?: Parameters<typeof decideChoices>[1]) =>
  decideChoices(UpFlags.parse(flags), earlier, '192.0.2.7');

test('without a flag the machine is reached by its address, with logs', () => {
  expect(decide({})).toEqual({
    email: 'operator@berth.internal',
    address: '192.0.2.7',
    withLogs: true,
    hasAcmeRoot: false,
    hasWildcard: false,
    takesRunners: false,
  });
});

test('a later run without flags keeps the choices of the first', () => {
  const first = decide({
    domain: 'Example.com',
    withoutLogs: true,
    acmeCa: 'https://ca.example/dir',
    acmeRoot: 'r.pem',
  });
  expect(first).toMatchObject({ domain: 'example.com', email: 'operator@example.com', withLogs: false });
  expect(decide({}, first)).toEqual(first);
  expect(decide({ email: 'ada@example.com' }, first)).toEqual({ ...first, email: 'ada@example.com' });
});

test('a deployment that takes runners goes on to take them', () => {
  const first = decide({ runners: true });
  expect(first.takesRunners).toBe(true);
  expect(decide({}, first)).toEqual(first);
});

test('flags that do not fit together are refused with the flags that do', () => {
  expect(() => decide({ domain: 'example.com', wildcardCert: 'w.pem' })).toThrow('needs its key');
  expect(() => decide({ wildcardCert: 'w.pem', wildcardKey: 'w.key' })).toThrow('need a domain');
  expect(() => decideChoices(UpFlags.parse({}), undefined, undefined)).toThrow('no IPv4 address');
});

test.each(['localhost', 'https://example.com', '-a.example', 'a..example', '*.example.com'])(
  '%s is no domain',
  (domain) => {
    expect(UpFlags.safeParse({ domain }).success).toBe(false);
  },
);
