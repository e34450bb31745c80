import { expect, test } from 'vitest';
import { registryOf } from './image-reference.ts';

test.each([
  ['registry.example/team/app:1', 'registry.example'],
  ['registry.example:5000/app@sha256:00', 'registry.example:5000'],
  ['127.0.0.1:5000/app', '127.0.0.1:5000'],
  ['localhost/app', 'localhost'],
  ['app', undefined],
  ['app:1.2', undefined],
  ['team/app:1.2', undefined],
])('the registry of %s is %s', (image, registry) => {
  expect(registryOf(image)).toBe(registry);
});
