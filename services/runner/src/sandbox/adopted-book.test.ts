import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdoptedBook } from './adopted-book.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-adopted-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('what was given away is known to the next process, and what is gone is not', () => {
  const [kept, gone, workspaceId] = [randomUUID(), randomUUID(), randomUUID()];
  const book = new AdoptedBook(folder);
  book.save(kept, { workspaceId, generation: 0 });
  book.save(kept, { workspaceId, generation: 2 });
  book.save(gone, { workspaceId, generation: 2 });
  book.forget(gone);
  const next = new AdoptedBook(folder);
  expect(next.find(kept)).toEqual({ workspaceId, generation: 2 });
  expect(next.instances()).toEqual([kept]);
});

test('a file that is damaged, or was never finished, gives nothing away', async () => {
  const [damaged, unfinished] = [randomUUID(), randomUUID()];
  new AdoptedBook(folder);
  await writeFile(join(folder, 'adopted', `${damaged}.json`), '{"workspaceId":"');
  await writeFile(join(folder, 'adopted', `${unfinished}.json.new`), '{}');
  expect(new AdoptedBook(folder).instances()).toEqual([]);
});
