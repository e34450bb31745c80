import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fieldsPage } from '@berth/api';
import {
  type FieldEffect,
  fieldEffects,
  fieldPaths,
  type Kind,
  kinds,
  WorkspaceChange,
  workspaceEffects,
} from '@berth/contract';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const root = resolve(import.meta.dirname, '../..');

const covers = (path: string, field: string) =>
  field === path || ['.', '[', '{'].some((next) => field.startsWith(`${path}${next}`));

/** Faults between the fields of a kind and its list of effects. */
function faults(kind: Pick<Kind, 'kind' | 'spec'>, effects: readonly FieldEffect[] | undefined): string[] {
  if (effects === undefined) return [`${kind.kind} has no list`];
  const fields = fieldPaths(kind.spec);
  const paths = effects.flatMap((entry) => entry.paths);
  return [
    ...fields.flatMap((field) => {
      const times = paths.filter((path) => covers(path, field)).length;
      return times === 1 ? [] : [`${kind.kind}: spec.${field} is on ${times} lists. Put it on exactly one.`];
    }),
    ...paths
      .filter((path) => !fields.some((field) => covers(path, field)))
      .map((path) => `${kind.kind}: spec.${path} is on a list and is no field.`),
    ...effects.flatMap((entry) => (entry.effect === 'enforced' ? testFaults(entry.test) : [])),
  ];
}

function testFaults(test: string): string[] {
  const [, file = '', title = ''] = /^(\S+): (.+)$/.exec(test) ?? [];
  let text = '';
  try {
    text = readFileSync(resolve(root, file), 'utf8');
  } catch {
    return [`${test}: there is no such file.`];
  }
  const written = ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
  return written ? [] : [`${test}: the file has no test of that title.`];
}

test.each(kinds.map((kind) => [kind.kind, kind] as const))(
  '%s: every field is enforced by a test that exists, waits, is refused or is warned of',
  (_, kind) => {
    expect(faults(kind, fieldEffects[kind.kind])).toEqual([]);
  },
);

test('workspace: every field that may change is on one list', () => {
  expect(faults({ kind: 'workspace', spec: WorkspaceChange }, workspaceEffects)).toEqual([]);
});

test('docs/operations/fields.md is made from the lists (pnpm fields writes it)', () => {
  expect(readFileSync(resolve(root, 'docs/operations/fields.md'), 'utf8')).toBe(fieldsPage());
});

test('every list of fields belongs to a kind', () => {
  expect(Object.keys(fieldEffects).sort()).toEqual(kinds.map(({ kind }) => kind).sort());
});

test('a kind with warnings has events to show them, and a kind that waits is not called ready', () => {
  for (const kind of kinds) {
    const effects = fieldEffects[kind.kind] ?? [];
    if (effects.some(({ effect }) => effect === 'warned')) expect([kind.kind, kind.status]).not.toContain(undefined);
    if (effects.some(({ effect }) => effect === 'waits'))
      expect([kind.kind, kind.arrival?.({}).status]).toEqual([kind.kind, 'DEPLOYING']);
  }
});

describe('a list is wrong that', () => {
  const kind = { kind: 'planted', spec: z.object({ a: z.object({ b: z.string() }), c: z.array(z.string()) }) };
  const waits = (...paths: string[]): FieldEffect => ({ effect: 'waits', reason: 'x', paths });

  test.each<[string, readonly FieldEffect[], RegExp]>([
    ['leaves a field out', [waits('a')], /spec\.c\[\] is on 0 lists/],
    ['names a field twice', [waits('a', 'c'), waits('a.b')], /spec\.a\.b is on 2 lists/],
    ['names what is no field', [waits('a', 'c', 'd')], /spec\.d is on a list and is no field/],
    [
      'names a test that does not exist',
      [waits('a'), { effect: 'enforced', paths: ['c'], test: 'tests/checks/checks.test.ts: never written' }],
      /no test of that title/,
    ],
    [
      'names a file that does not exist',
      [waits('a'), { effect: 'enforced', paths: ['c'], test: 'x.ts: y' }],
      /no such file/,
    ],
  ])('%s', (_what, effects, fault) => {
    expect(faults(kind, effects)).toEqual([expect.stringMatching(fault)]);
  });

  test('is missing', () => {
    expect(faults(kind, undefined)).toEqual(['planted has no list']);
  });
});
