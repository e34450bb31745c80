import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TaskFiles } from './task-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-tasks-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the next process knows tasks and their results, and not forgotten ones', async () => {
  const [running, ended, gone] = [randomUUID(), randomUUID(), randomUUID()];
  const files = new TaskFiles(folder);
  const end = { reason: 'timeout', message: 'It ran too long.', ranMs: 5, endedAtMs: 7 } as const;
  for (const id of [running, ended, gone]) await files.save(id, { graceSeconds: 3 });
  await files.save(ended, { graceSeconds: 3, end });
  files.forget(gone);
  const next = new TaskFiles(folder);
  expect(next.find(running)).toEqual({ graceSeconds: 3 });
  expect(next.find(ended)).toEqual({ graceSeconds: 3, end });
  expect(next.find(gone)).toBeUndefined();
  expect(next.instances().sort()).toEqual([running, ended].sort());
});

test('a damaged file still says that its task may have run', async () => {
  const id = randomUUID();
  const files = new TaskFiles(folder);
  await writeFile(join(folder, 'tasks', `${id}.json`), '{"grace');
  expect(files.find(id)).toMatchObject({ graceSeconds: expect.any(Number) });
  expect(files.find(id)?.end).toBeUndefined();
  expect(files.instances()).toEqual([id]);
});

test('a draft of a killed process is no task, and is cleared away', async () => {
  const id = randomUUID();
  new TaskFiles(folder);
  await writeFile(join(folder, 'tasks', `${id}.json.new`), '{}');
  const next = new TaskFiles(folder);
  expect(next.find(id)).toBeUndefined();
  expect(await readdir(join(folder, 'tasks'))).toEqual([]);
});
