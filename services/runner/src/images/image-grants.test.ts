import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@berth/telemetry';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openImageGrants } from './image-grants.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-image-grants-'));
});
afterEach(() => rm(folder, { recursive: true }));

const logger = createLogger({ role: 'runner' }, { level: 'silent' });
const file = () => join(folder, 'state', 'image-grants.json');
const open = () => openImageGrants(file(), logger);

test('a grant outlives the runner and holds for one workspace and one content', async () => {
  await (await open()).add('a:1', 'mine', 'sha256:1');
  const grants = await open();
  expect(grants.has('a:1', 'mine', 'sha256:1')).toBe(true);
  expect(grants.has('a:1', 'mine', 'sha256:2')).toBe(false);
  expect(grants.has('a:1', 'theirs', 'sha256:1')).toBe(false);
  expect(grants.has('a:1', undefined, 'sha256:1')).toBe(false);
  expect(grants.has('b:1', 'mine', 'sha256:1')).toBe(false);
  await grants.forget('a:1');
  expect((await open()).has('a:1', 'mine', 'sha256:1')).toBe(false);
});

test('an unreadable file grants nothing', async () => {
  await (await open()).add('a:1', 'mine', 'sha256:1');
  await writeFile(file(), '{"a:1":');
  expect((await open()).has('a:1', 'mine', 'sha256:1')).toBe(false);
});
