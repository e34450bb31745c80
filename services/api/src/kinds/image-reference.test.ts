import { expect, test } from 'vitest';
import { refusedRegistry } from './image-reference.ts';

const origin = { hub: 'service', workspace: 'main', allowedRegistries: ['registry.example:5000'] };

test.each([
  ['service/base-image:latest', undefined],
  ['main/api:3', undefined],
  ['sandbox/x:1', undefined],
  ['registry.example:5000/team/x:1', undefined],
  ['other.example/x', 'other.example'],
  ['localhost/x', 'localhost'],
  ['nginx', 'default'],
  ['library/nginx:1', 'default'],
  // A name alone is no folder of ours.
  ['sandbox', 'default'],
])('with a list of registries, %s is refused by %s', (image, registry) => {
  expect(refusedRegistry(image, origin)).toBe(registry);
});

test('without a list every registry is allowed', () => {
  expect(refusedRegistry('anywhere.example/x', { ...origin, allowedRegistries: [] })).toBeUndefined();
});
