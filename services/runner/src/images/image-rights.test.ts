import { expect, test } from 'vitest';
import { credentialsFor, type ImageRequest, isShared } from './image-rights.ts';

const registry = { host: 'Registry.corp:5000', username: 'operator', password: 'secret' };
const request = (path: string, source?: ImageRequest['source']): ImageRequest => ({
  image: `registry.corp:5000/${path}`,
  source,
});
const isGiven = (asked: ImageRequest, repositories: string[] = [], shared: string[] = []): boolean =>
  credentialsFor(asked, [{ ...registry, repositories }], shared) !== undefined;

test('the operator’s password does not pull an arbitrary image that a tenant names', () => {
  expect(isGiven(request('other-team/app:1'))).toBe(false);
  expect(isGiven(request('other-team/app:1', { origin: 'outside', isListed: true }))).toBe(false);
});

test('the operator’s password pulls images of the deployment and those in the workspace’s own folder', () => {
  expect(isGiven(request('service/base', { origin: 'deployment' }))).toBe(true);
  expect(isGiven(request('acme/app', { origin: 'workspace' }))).toBe(true);
  expect(isGiven(request('base:1'), [], ['registry.corp:5000/base:1'])).toBe(true);
});

test.each([
  ['public/app', ['public/'], true],
  ['public/deep/app', ['public/'], true],
  ['publicly/app', ['public/'], false],
  ['tool', ['tool'], true],
  ['tool/other', ['tool'], false],
  ['anything/at/all', ['/'], true],
  ['private/app', ['public/', 'tool'], false],
])('%s with the repositories %j: %s', (path, repositories, expected) => {
  expect(isGiven(request(path), repositories)).toBe(expected);
});

test('a password is sent only to its own registry', () => {
  const elsewhere = { image: 'evil.example/service/base', source: { origin: 'deployment' as const } };
  expect(isGiven(elsewhere, ['/'])).toBe(false);
});

test('every workspace may use the copies that the operator shares, by full name', () => {
  const shared = ['node:24', 'docker.io/library/berth-*'];
  const of = (image: string) => isShared({ image }, shared);
  expect([of('node:24'), of('docker.io/library/node:24'), of('berth-tiny')]).toEqual([true, true, true]);
  expect([of('node:25'), of('evil.example/node:24'), of('team/berth-tiny')]).toEqual([false, false, false]);
  expect(isShared({ image: 'a/b', source: { origin: 'deployment' } }, [])).toBe(true);
  expect(isShared({ image: 'a/b', source: { origin: 'workspace' } }, [])).toBe(false);
});
