import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LastUseBook } from './last-use-book.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'berth-uses-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('what was noted last is found by the next start of the runner', async () => {
  const state = await folder();
  const book = new LastUseBook(state);
  await Promise.all([
    book.save('a', { usedMsAgo: 0, wasAsleep: false }),
    book.save('a', { usedMsAgo: 60_000, wasAsleep: true }),
    book.save('b', { usedMsAgo: 5, wasAsleep: false }),
  ]);
  const next = new LastUseBook(state);
  expect(next.find('a')?.wasAsleep).toBe(true);
  expect(next.find('a')?.usedMsAgo).toBeGreaterThanOrEqual(60_000);
  expect(next.find('a')?.usedMsAgo).toBeLessThan(90_000);
  expect(next.find('b')?.wasAsleep).toBe(false);
  expect(next.find('c')).toBeUndefined();
});

test('half a line is as good as none, and what is forgotten leaves nothing', async () => {
  const state = await folder();
  const book = new LastUseBook(state);
  await writeFile(join(state, 'sandbox-uses', 'torn'), '17');
  expect(book.find('torn')).toBeUndefined();
  void book.save('a', { usedMsAgo: 0, wasAsleep: false });
  await book.forget('a');
  await book.forget('torn');
  expect(await readdir(join(state, 'sandbox-uses'))).toEqual([]);
});
