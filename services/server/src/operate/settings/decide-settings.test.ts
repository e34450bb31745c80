import { expect, test } from 'vitest';
import { decideSettings } from './decide-settings.ts';

const decide = (found: string | undefined, wanted: string | undefined, written: string, hasNewChoices: boolean) =>
  decideSettings({ found, wanted, writtenHash: `#${written}`, hasNewChoices }, (text) => `#${text}`);

test('a missing file is written, and a current file is kept', () => {
  expect(decide(undefined, 'new', '', true)).toBe('write');
  expect(decide('new', 'new', 'old', true)).toBe('keep');
});

test('a file as it was written is replaced when other choices or another version ask for another one', () => {
  expect(decide('old', 'new', 'old', true)).toBe('write');
  expect(decide('old', 'new', 'old', false)).toBe('write');
});

test('a file that the operator has edited is never overwritten', () => {
  expect(decide('edited', 'new', 'old', false)).toBe('keep');
  expect(decide('edited', 'new', 'old', true)).toBe('propose');
  expect(decide('without a master key', undefined, 'old', true)).toBe('propose');
});
