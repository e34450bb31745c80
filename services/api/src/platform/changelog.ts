// News of the product, from CHANGELOG.md of this repository: one entry per heading `## <date> <title>`.
import { readFileSync } from 'node:fs';
import { assetUrl } from '@berth/release';

export interface ChangelogEntry {
  readonly date: string;
  readonly title: string;
  /** Markdown between this heading and the next. */
  readonly content: string;
}

const heading = /^##(?!#)\s*(.*)$/;
const dated = /^\[?(\d{4}-\d{2}-\d{2})\]?[\s:–—-]*(.*)$/;
const fence = /^\s*(```|~~~)/;

const isDate = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};

/** Entries newest first. Text before the first entry and sections without a date, such as "Unreleased", are skipped. */
export function parseChangelog(markdown: string): ChangelogEntry[] {
  const entries: { date: string; title: string; lines: string[] }[] = [];
  let current: string[] | undefined;
  let fenced = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (fence.test(line)) fenced = !fenced;
    const found = fenced ? undefined : heading.exec(line)?.[1];
    if (found === undefined) {
      current?.push(line);
      continue;
    }
    const [, date = '', title = ''] = dated.exec(found.trim()) ?? [];
    current = isDate(date) ? [] : undefined;
    if (current !== undefined) entries.push({ date, title: title.trim() || date, lines: current });
  }
  return entries
    .map(({ date, title, lines }) => ({ date, title, content: lines.join('\n').trim() }))
    .sort((a, b) => b.date.localeCompare(a.date));
}

const file = assetUrl('CHANGELOG.md');

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

function readChangelog(): ChangelogEntry[] {
  try {
    return parseChangelog(readFileSync(file, 'utf8'));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export const changelog = readChangelog();
