import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseChangelog } from './changelog.ts';

test('entries are found by their headings and come newest first', () => {
  const entries = parseChangelog(
    [
      '# Changelog',
      'Introduction.',
      '## 2026-01-02 First',
      'One.',
      '',
      '## 2026-03-04 Second',
      '### Detail',
      'Two.',
    ].join('\n'),
  );
  expect(entries).toEqual([
    { date: '2026-03-04', title: 'Second', content: '### Detail\nTwo.' },
    { date: '2026-01-02', title: 'First', content: 'One.' },
  ]);
});

test.each([
  '## 2026-01-02 News',
  '##  2026-01-02   News  ',
  '## [2026-01-02] News',
  '## 2026-01-02 - News',
  '## 2026-01-02 — News',
  '## 2026-01-02: News',
  '##2026-01-02 News',
])('the heading "%s" is understood', (line) => {
  expect(parseChangelog(`${line}\r\ntext\r\n`)).toEqual([{ date: '2026-01-02', title: 'News', content: 'text' }]);
});

test.each(['## Unreleased', '## 2026-13-45 Never', '## 2026-02-30 Never', '### 2026-01-02 Deeper', '# 2026-01-02 Top'])(
  'the heading "%s" starts no entry',
  (line) => {
    expect(parseChangelog(`${line}\ntext`)).toEqual([]);
  },
);

test('a section without a date is skipped with its text', () => {
  const entries = parseChangelog('## 2026-01-02 News\ntext\n## Unreleased\nnot yet');
  expect(entries).toEqual([{ date: '2026-01-02', title: 'News', content: 'text' }]);
});

test('a heading inside a code block belongs to the entry', () => {
  const [entry, ...others] = parseChangelog('## 2026-01-02 News\n```\n## 2026-05-05 no\n```\nend');
  expect(others).toEqual([]);
  expect(entry?.content).toBe('```\n## 2026-05-05 no\n```\nend');
});

test('an entry without a title is named by its date, and an entry without text has empty content', () => {
  expect(parseChangelog('## 2026-01-02')).toEqual([{ date: '2026-01-02', title: '2026-01-02', content: '' }]);
});

test('parsing any text gives entries with dates in order', () => {
  const line = fc.oneof(fc.string(), fc.constantFrom('## 2026-01-02 a', '## 2025-01-02 b', '```', '## x', ''));
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const dates = parseChangelog(lines.join('\n')).map(({ date }) => date);
      expect(dates).toEqual(dates.toSorted().toReversed());
    }),
  );
});
