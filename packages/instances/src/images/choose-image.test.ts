import { defaultBrand } from '@berth/contract';
import { expect, test } from 'vitest';
import { PlacementConfig } from '../config.ts';
import { chooseImage, deploymentImage, type ImageChoice } from './choose-image.ts';
import { registeredName } from './image-name.ts';

const digest = `sha256:${'a'.repeat(64)}`;

function choose(named: string, imageRegistry?: string, registered?: string): ImageChoice {
  const placement = PlacementConfig.parse({ imageRegistry, sandboxes: { defaultImage: 'node:24' } });
  return chooseImage({ named, workspace: 'acme', registered }, { placement, brand: defaultBrand });
}

const outcome = (choice: ImageChoice): string =>
  'fault' in choice ? choice.fault : `${choice.image} of ${choice.source.origin}`;

test.each([
  ['agent/foo:1', 'unregistered', 'registry.internal/acme/agent/foo:1 of workspace'],
  ['app/foo', 'unregistered', 'registry.internal/acme/app/foo of workspace'],
  ['application/foo', 'unregistered', 'registry.internal/acme/application/foo of workspace'],
  ['function/foo:1', 'unregistered', 'registry.internal/acme/function/foo:1 of workspace'],
  ['job/foo:1', 'unregistered', 'registry.internal/acme/job/foo:1 of workspace'],
  ['sandbox/foo:1', 'unregistered', 'registry.internal/acme/sandbox/foo:1 of workspace'],
  ['acme/foo:1', 'unregistered', 'registry.internal/acme/foo:1 of workspace'],
  [`acme/job/foo@${digest}`, 'unregistered', `registry.internal/acme/job/foo@${digest} of workspace`],
  ['service/base:latest', 'no-hub', 'registry.internal/service/base:latest of deployment'],
  ['agent', 'agent of outside', 'agent of outside'],
  ['other/foo:1', 'other/foo:1 of outside', 'other/foo:1 of outside'],
  ['elsewhere.example/acme/x', 'elsewhere.example/acme/x of outside', 'elsewhere.example/acme/x of outside'],
  ['docker.io/library/node:24', 'docker.io/library/node:24 of deployment', 'docker.io/library/node:24 of deployment'],
  [digest, 'malformed', 'malformed'],
])('%s is %s without a registry of the deployment, and %s with one', (named, without, withOne) => {
  expect(outcome(choose(named))).toBe(without);
  expect(outcome(choose(named, 'registry.internal'))).toBe(withOne);
});

test.each([
  ['registry.internal/acme/x:1', 'registry.internal/acme/x:1 of workspace'],
  ['registry.internal/service/base', 'registry.internal/service/base of deployment'],
  ['registry.internal/other/x:1', 'reserved'],
  ['registry.internal/acme', 'reserved'],
  ['registry.internal/x:1', 'reserved'],
  ['registry.internal:443/other/x:1', 'reserved'],
  ['Registry.Internal/other/x:1', 'reserved'],
  ['registry.internal.example/other/x:1', 'registry.internal.example/other/x:1 of outside'],
])('a workspace names only its own folder of the deployment’s registry: %s is %s', (named, expected) => {
  expect(outcome(choose(named, 'registry.internal'))).toBe(expected);
});

test('a registry with a path reserves only that path', () => {
  expect(outcome(choose('ghcr.example/corp/other/x', 'ghcr.example/corp'))).toBe('reserved');
  expect(outcome(choose('ghcr.example/corp/acme/x', 'ghcr.example/corp'))).toMatch(/of workspace$/);
  expect(outcome(choose('ghcr.example/public/x', 'ghcr.example/corp'))).toMatch(/of outside$/);
  expect(outcome(choose('corp/other/x', 'docker.io/corp'))).toBe('reserved');
});

test('a registered name stands for the registered reference before any other meaning', () => {
  const reference = `registry.example/team/foo@${digest}`;
  expect(outcome(choose('agent/foo:1', undefined, reference))).toBe(`${reference} of outside`);
  expect(outcome(choose('agent/foo:1', 'registry.internal', reference))).toBe(`${reference} of outside`);
  expect(outcome(choose('agent/foo:1', 'registry.internal', 'registry.internal/other/x'))).toBe('reserved');
});

test.each([
  ['agent/foo:1', { types: ['agent'], name: 'foo', tag: '1' }],
  ['app/foo', { types: ['application'], name: 'foo', tag: 'latest' }],
  [`job/foo@${digest}`, { types: ['job'], name: 'foo', tag: digest.replace(':', '-') }],
  ['acme/job/foo:1', { types: ['job'], name: 'foo', tag: '1' }],
  ['acme/foo:1', { name: 'foo', tag: '1' }],
  ['other/foo:1', undefined],
  ['agent/foo/bar', undefined],
  ['registry.example/agent/foo', undefined],
  [`agent/foo:1@${digest}`, undefined],
])('%s is looked for as %j', (named, expected) => {
  const found = registeredName(named, 'acme');
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(expected);
});

test('an image that the operator names may be used by every workspace', () => {
  const settings = { placement: PlacementConfig.parse({ imageRegistry: 'registry.internal' }), brand: defaultBrand };
  const of = (named: string) => outcome(deploymentImage(named, settings));
  expect(of('service/base:1')).toBe('registry.internal/service/base:1 of deployment');
  expect(of('sandbox/base:1')).toBe('registry.internal/sandbox/base:1 of deployment');
  expect(of('node:24')).toBe('node:24 of deployment');
});
