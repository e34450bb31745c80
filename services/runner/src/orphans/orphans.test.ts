import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Orphans } from './orphans.ts';

const stateFolder = () => mkdtemp(join(tmpdir(), 'orphans-'));
const orphan = () => ({ instance: randomUUID(), isSandbox: true });
const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];

test('a runner that knows no epoch takes the first one, and nothing is undecided', async () => {
  const orphans = new Orphans(await stateFolder());
  orphans.meet(first);
  expect(orphans.undecidedEpoch).toBeUndefined();
  orphans.meet(first);
  expect(orphans.undecidedEpoch).toBeUndefined();
});

test('another epoch is undecided until the orphans are saved, also for the next process', async () => {
  const folder = await stateFolder();
  const orphans = new Orphans(folder);
  orphans.meet(first);
  orphans.meet(second);
  expect(orphans.undecidedEpoch).toBe(second);
  const again = new Orphans(folder);
  again.meet(second);
  expect(again.undecidedEpoch).toBe(second);
  const kept = orphan();
  again.decide([kept]);
  expect(again.undecidedEpoch).toBeUndefined();
  const last = new Orphans(folder);
  last.meet(second);
  expect(last.undecidedEpoch).toBeUndefined();
  expect(last.list()).toEqual([kept]);
});

test('orphans stay through further epochs until they are dropped', async () => {
  const folder = await stateFolder();
  const orphans = new Orphans(folder);
  const [one, other] = [orphan(), orphan()];
  orphans.meet(first);
  orphans.meet(second);
  orphans.decide([one, other]);
  orphans.meet(third);
  expect(orphans.has(one.instance)).toBe(true);
  orphans.decide([one, other]);
  orphans.drop(one.instance);
  expect(orphans.list()).toEqual([other]);
  expect(new Orphans(folder).list()).toEqual([other]);
});

test('the return of the known epoch before a decision leaves everything as it was', async () => {
  const orphans = new Orphans(await stateFolder());
  orphans.meet(first);
  orphans.meet(second);
  orphans.meet(first);
  expect(orphans.undecidedEpoch).toBeUndefined();
  expect(orphans.list()).toEqual([]);
});

test('a file that cannot be read stops the start and names the next step', async () => {
  const folder = await stateFolder();
  await writeFile(join(folder, 'epoch.json'), '{');
  expect(() => new Orphans(folder)).toThrow('Restore it from a copy');
});
