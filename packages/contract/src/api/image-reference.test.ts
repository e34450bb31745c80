import { expect, test } from 'vitest';
import { parseImageReference, qualifiedReference } from './image-reference.ts';

const id = 'a'.repeat(64);

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  // Docker itself would look for an image whose id begins with this text.
  ['deadbeef', 'docker.io/library/deadbeef:latest'],
  ['team/app:1', 'docker.io/team/app:1'],
  ['index.docker.io/nginx:1', 'docker.io/library/nginx:1'],
  ['localhost/app', 'localhost/app:latest'],
  ['registry:5000/a/b_c/d--e:V1.0_x', 'registry:5000/a/b_c/d--e:V1.0_x'],
  ['Registry.Example/app:1', 'registry.example/app:1'],
  [`registry.example/app@sha256:${id}`, `registry.example/app@sha256:${id}`],
  [`registry.example/app:1@sha256:${id}`, `registry.example/app@sha256:${id}`],
])('%s is pulled as %s', (text, full) => {
  const parts = parseImageReference(text);
  expect(parts && qualifiedReference(parts)).toBe(full);
});

test.each([
  ['the id of an image', `sha256:${id}`],
  ['the beginning of an id', 'sha256:abcdef012345'],
  ['an id without its algorithm', id],
  ['an id with a tag', `${id}:1`],
  ['a word that stands for ids', 'sha256'],
  ['a step up', '../images/json'],
  ['a step up inside', 'registry.example/a/../b'],
  ['a query', 'nginx?force=1'],
  ['a fragment', 'nginx#x'],
  ['an escaped slash', 'a%2fb'],
  ['an empty text', ''],
  ['a space', 'not a reference'],
  ['a line break', 'nginx\n'],
  ['upper case in the path', 'registry.example/App'],
  ['upper case without a registry', 'App'],
  ['an address of IPv6', '[::1]:5000/app'],
  ['a path that is too long', `registry.example/${'a'.repeat(256)}`],
  ['a short digest', 'nginx@sha256:abc'],
  ['another algorithm', `nginx@md5:${'a'.repeat(32)}`],
])('%s is no reference', (_, text) => {
  expect(parseImageReference(text)).toBeUndefined();
});
