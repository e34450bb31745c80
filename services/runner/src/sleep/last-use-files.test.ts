import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LastUseFiles } from './last-use-files.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'berth-uses-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

test('the next start of the runner finds the last saved use', async () => {
  const state = await folder();
  const files = new LastUseFiles(state);
  await Promise.all([
    files.save('a', { usedMsAgo: 0, wasAsleep: false }),
    files.save('a', { usedMsAgo: 60_000, wasAsleep: true }),
    files.save('b', { usedMsAgo: 5, wasAsleep: false }),
  ]);
  const next = new LastUseFiles(state);
  expect(next.find('a')?.wasAsleep).toBe(true);
  expect(next.find('a')?.usedMsAgo).toBeGreaterThanOrEqual(60_000);
  expect(next.find('a')?.usedMsAgo).toBeLessThan(90_000);
  expect(next.find('b')?.wasAsleep).toBe(false);
  expect(next.find('c')).toBeUndefined();
});

test('an incomplete line counts as unknown, and a forgotten sandbox leaves no file', async () => {
  const state = await folder();
  const files = new LastUseFiles(state);
  await writeFile(join(state, 'sandbox-uses', 'torn'), '17');
  expect(files.find('torn')).toBeUndefined();
  void files.save('a', { usedMsAgo: 0, wasAsleep: false });
  await files.forget('a');
  await files.forget('torn');
  expect(await readdir(join(state, 'sandbox-uses'))).toEqual([]);
});
