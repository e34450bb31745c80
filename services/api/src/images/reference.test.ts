import { expect, test } from 'vitest';
import { parseReference } from './reference.ts';

const digest = 'a'.repeat(64);

test.each([
  ['nginx', 'nginx', 'latest'],
  ['library/nginx:1.27', 'library/nginx', '1.27'],
  ['registry.example.com:5000/team/app:v1', 'registry.example.com:5000/team/app', 'v1'],
  ['registry.example.com/a/b/c', 'registry.example.com/a/b/c', 'latest'],
  ['localhost:5000/app', 'localhost:5000/app', 'latest'],
  [`ghcr.example/app:v2@sha256:${digest}`, 'ghcr.example/app', 'v2'],
  [`ghcr.example/app@sha256:${digest}`, 'ghcr.example/app', `sha256-${digest}`],
])('%s is read as %s with tag %s', (text, repository, tag) => {
  expect(parseReference(text)).toMatchObject({ repository, tag });
});

test.each([
  '',
  ' nginx',
  'nginx:',
  'nginx:-x',
  'Upper/Case',
  'a//b',
  'https://example.com/a',
  'app@sha256:short',
  '/a',
])('"%s" is no reference', (text) => {
  expect(parseReference(text)).toBeUndefined();
});
