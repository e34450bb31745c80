import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPulledImages } from './pulled-images.ts';

const logger = createLogger({ role: 'runner' }, { level: 'silent' });
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-pulled-images-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = () => openPulledImages(join(folder, 'state', 'pulled-images.json'), logger);

test('recorded images are known after a restart, oldest first', async () => {
  const before = await open();
  await Promise.all([
    before.recordUse('docker.io/library/b:1', new Date(3_000)),
    before.recordUse('docker.io/library/a:1', new Date(2_000)),
    before.recordUse('docker.io/library/gone:1', new Date(1_000)),
  ]);
  await before.forget('docker.io/library/gone:1');
  const after = await open();
  expect(after.oldestFirst().map(({ image }) => image)).toEqual(['docker.io/library/a:1', 'docker.io/library/b:1']);
  expect([after.has('docker.io/library/a:1'), after.has('docker.io/library/gone:1')]).toEqual([true, false]);
  expect(await readdir(join(folder, 'state'))).toEqual(['pulled-images.json']);
});

test('an unreadable file names no image', async () => {
  await open();
  await writeFile(join(folder, 'state', 'pulled-images.json'), '{"a":');
  expect((await open()).oldestFirst()).toEqual([]);
});
