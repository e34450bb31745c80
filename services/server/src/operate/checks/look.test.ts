import { expect, test } from 'vitest';
import { placesBelow } from '../machine/places.ts';
import type { Check, LookedAt } from './check.ts';
import { describe, lookInOrder } from './look.ts';
import { checks } from './registry.ts';
import { runnerChecks } from './runner-registry.ts';

const machine: LookedAt = {
  places: placesBelow('/nowhere'),
  run: () => Promise.reject(new Error('no program runs here')),
  record: () => undefined,
  choices: {
    ...{ email: 'a@example.com', address: '192.0.2.7', withLogs: true, takesRunners: false },
    ...{ hasAcmeRoot: false, hasWildcard: false },
  },
  isInstalled: false,
};

const check = (name: string, look: Check['look'], needs: string[] = []): Check => ({
  ...{ name, why: 'a test', when: 'both', needs, look },
});

test('a check whose cause was found is left out, and so are those that need it', async () => {
  const result = await lookInOrder(
    [
      check('first', async () => ({ what: 'It is off.', fix: 'turn it on' })),
      check('second', () => Promise.reject(new Error('never looked at')), ['first']),
      check('third', () => Promise.reject(new Error('never looked at')), ['second']),
      check('other', async () => undefined),
    ],
    machine,
    [],
  );
  expect(result.findings.map(describe)).toEqual(['fault  first: It is off.\n  FIX: turn it on']);
  expect(result).toMatchObject({ passed: ['other'], leftOut: ['second', 'third'] });
});

test('a check that cannot look is a fault, and a warning leaves nothing out', async () => {
  const result = await lookInOrder(
    [check('first', () => Promise.reject(new Error('no such file')), ['warned'])],
    machine,
    [{ name: 'warned', what: 'It is old.', fix: 'update it', isWarning: true }],
  );
  expect(result.findings.map(({ name, what }) => [name, what])).toEqual([
    ['warned', 'It is old.'],
    ['first', 'It could not be looked at: no such file'],
  ]);
});

test.each([
  ['a deployment', checks],
  ['a runner alone', runnerChecks],
])('names of checks of %s are unique, and a check needs only checks before it', (_, checks) => {
  const names = checks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  // The runner's own checks come before all others.
  for (const [index, { name, needs = [] }] of checks.entries())
    for (const needed of needs)
      expect([name, needed === 'docker' || names.indexOf(needed) < index]).toEqual([name, true]);
  for (const { needs = [] } of checks)
    for (const needed of needs) expect(needed === 'docker' || names.includes(needed)).toBe(true);
});
