import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdoptionFiles } from './adoption-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-adopted-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('the next process knows saved adoptions, and not forgotten ones', () => {
  const [kept, gone, workspaceId] = [randomUUID(), randomUUID(), randomUUID()];
  const files = new AdoptionFiles(folder);
  files.save(kept, { workspaceId, generation: 0 });
  files.save(kept, { workspaceId, generation: 2 });
  files.save(gone, { workspaceId, generation: 2 });
  files.forget(gone);
  const next = new AdoptionFiles(folder);
  expect(next.find(kept)).toEqual({ workspaceId, generation: 2 });
  expect(next.instances()).toEqual([kept]);
});

test('a damaged or incomplete file is no adoption', async () => {
  const [damaged, unfinished] = [randomUUID(), randomUUID()];
  new AdoptionFiles(folder);
  await writeFile(join(folder, 'adopted', `${damaged}.json`), '{"workspaceId":"');
  await writeFile(join(folder, 'adopted', `${unfinished}.json.new`), '{}');
  expect(new AdoptionFiles(folder).instances()).toEqual([]);
});
