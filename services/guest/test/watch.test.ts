import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildGuest } from '../../../engines/guest/runtime.ts';
import { serveGuestInProcess } from '../../../tests/harness/guest-in-process.ts';
import { readWatch } from '../../../tests/harness/watch-reader.ts';
import { processStats } from '../src/proc/proc-files.ts';
import { eventually } from './eventually.ts';

const root = mkdtempSync(join(tmpdir(), 'berth-watch-'));
let folder = '';
let guest: Awaited<ReturnType<typeof serveGuestInProcess>>;

beforeAll(async () => {
  guest = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: '1', SANDBOX_RUNTIME: await buildGuest() }, root);
}, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(root, 'case-'));
});
afterAll(async () => {
  await guest[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const watchOf = (path: string, query = '') =>
  readWatch(`${guest.url}/watch/filesystem/${encodeURIComponent(path).replaceAll('*', '*')}${query}`);
const nativeWatchers = () => processStats().filter(({ name, parent }) => name === 'watch' && parent === process.pid);

const untilNoWatcher = () => eventually(() => nativeWatchers().length === 0);

test('the stream is plain text that no proxy holds back', async () => {
  using watch = await watchOf(folder);
  expect(watch.response.statusCode).toBe(200);
  expect(watch.response.headers).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-accel-buffering': 'no',
    'transfer-encoding': 'chunked',
  });
});

test('U-32 each change is one event with one op', async () => {
  using watch = await watchOf(folder);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  appendFileSync(file, 'text');
  chmodSync(file, 0o600);
  renameSync(file, join(folder, 'other'));
  unlinkSync(join(folder, 'other'));
  await watch.until(join(folder, 'other'), 'REMOVE');
  expect(watch.events()).toEqual(
    [
      ['CREATE', 'file'],
      ['WRITE', 'file'],
      ['CHMOD', 'file'],
      ['RENAME', 'file'],
      ['CREATE', 'other'],
      ['REMOVE', 'other'],
    ].map(([op, name]) => ({ op, name, path: folder, error: null })),
  );
});

test('without /** nothing below the folder is reported', async () => {
  mkdirSync(join(folder, 'sub'));
  using watch = await watchOf(folder);
  writeFileSync(join(folder, 'sub/hidden'), '');
  writeFileSync(join(folder, 'last'), '');
  await watch.until(join(folder, 'last'));
  expect(watch.events().map(({ name }) => name)).toEqual(['last']);
});

test('a relative path is relative to the working directory, and the events name the whole path', async () => {
  using watch = await readWatch(`${guest.url}/watch/filesystem/${folder.slice(root.length + 1)}/**`);
  writeFileSync(join(folder, 'a'), '');
  await watch.until(join(folder, 'a'));
});

test('R-31 each file of a new folder is reported once, however fast it was made', async () => {
  using watch = await watchOf(`${folder}/**`);
  for (let round = 0; round < 30; round += 1) {
    execFileSync('sh', [
      '-c',
      'mkdir -p "$0/a/b/c" && : > "$0/a/b/c/one" && : > "$0/a/two"',
      join(folder, `n${round}`),
    ]);
  }
  writeFileSync(join(folder, 'last'), '');
  await watch.until(join(folder, 'last'));
  const created = watch
    .events()
    .filter(({ op }) => op === 'CREATE')
    .map(({ path, name }) => `${path}/${name}`);
  const expected = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  expect(created.toSorted()).toEqual(expected.toSorted());
});

test('R-31 a folder that moves in, or within, is reported with all its content under its new path', async () => {
  const outside = mkdtempSync(join(root, 'outside-'));
  mkdirSync(join(outside, 'tree/deep'), { recursive: true });
  writeFileSync(join(outside, 'tree/deep/file'), '');
  using watch = await watchOf(`${folder}/**`);
  renameSync(join(outside, 'tree'), join(folder, 'in'));
  await watch.until(join(folder, 'in/deep/file'));
  renameSync(join(folder, 'in'), join(folder, 'moved'));
  await watch.until(join(folder, 'moved/deep/file'));
  writeFileSync(join(folder, 'moved/deep/later'), '');
  await watch.until(join(folder, 'moved/deep/later'));
  expect(watch.events().filter(({ op }) => op === 'RENAME')).toEqual([
    { op: 'RENAME', name: 'in', path: folder, error: null },
  ]);
  // The moved folder is watched under its new path only.
  expect(watch.events().filter(({ name }) => name === 'later')).toHaveLength(1);
});

test('a removed and made-again folder is watched again', async () => {
  using watch = await watchOf(`${folder}/**`);
  for (const name of ['one', 'two']) {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub', name), '');
    await watch.until(join(folder, 'sub', name));
    rmSync(join(folder, 'sub'), { recursive: true });
    await watch.until(join(folder, 'sub'), 'REMOVE');
  }
});

test('links are reported and not followed', async () => {
  using watch = await watchOf(`${folder}/**`);
  symlinkSync(root, join(folder, 'link'));
  writeFileSync(join(folder, 'last'), '');
  await watch.until(join(folder, 'last'));
  expect(watch.events().map(({ name }) => name)).toEqual(['link', 'last']);
});

test('ignore leaves out what has one of its parts in the path', async () => {
  using watch = await watchOf(`${folder}/**`, '?ignore=node_modules,.tmp');
  mkdirSync(join(folder, 'node_modules/pkg'), { recursive: true });
  writeFileSync(join(folder, 'a.tmp'), '');
  writeFileSync(join(folder, 'last'), '');
  await watch.until(join(folder, 'last'));
  expect(watch.events().map(({ name }) => name)).toEqual(['last']);
});

test('R-32 the stream ends with a line that says so when the folder disappears', async () => {
  using watch = await watchOf(`${folder}/**`);
  rmSync(folder, { recursive: true });
  await watch.ended;
  expect(watch.events().at(-1)).toEqual({
    op: 'REMOVE',
    name: folder.slice(root.length + 1),
    path: root,
    error: expect.stringContaining('gone'),
  });
  await untilNoWatcher();
});

test('a caller that leaves takes its native watcher with it', async () => {
  const watches = await Promise.all(Array.from({ length: 5 }, () => watchOf(folder)));
  expect(nativeWatchers()).toHaveLength(5);
  for (const watch of watches) watch.close();
  await untilNoWatcher();
});

test('a path that is no folder is refused with 400, and a watcher that cannot start with 500', async () => {
  writeFileSync(join(folder, 'file'), '');
  for (const path of [join(folder, 'file'), join(folder, 'missing'), `${folder}/missing/**`]) {
    const response = await fetch(`${guest.url}/watch/filesystem/${encodeURIComponent(path)}`);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 400,
      body: { error: expect.stringContaining('not a directory') },
    });
  }
  await using broken = await serveGuestInProcess({ DISABLE_REQUEST_LOGGING: '1', SANDBOX_RUNTIME: '/nowhere' }, root);
  const response = await fetch(`${broken.url}/watch/filesystem/${encodeURIComponent(folder)}`);
  expect(response.status).toBe(500);
});

// Each change makes two events; Linux queues 16,384 for one watcher.
const changeCount = 20_000;

test('R-32 for a reader that stops, memory stays flat, and it is told if events were lost', async () => {
  using watch = await watchOf(folder);
  watch.response.pause();
  const before = process.memoryUsage().rss;
  const name = 'n'.repeat(200);
  // Linux drops events that do not fit its queue. gVisor queues without a limit: there all of them arrive.
  for (let count = 0; count < changeCount; count += 1) {
    writeFileSync(join(folder, `${name}-${count % 100}`), '');
    unlinkSync(join(folder, `${name}-${count % 100}`));
  }
  expect((process.memoryUsage().rss - before) / bytesPerMb).toBeLessThan(80);
  watch.response.resume();
  const isTold = () => watch.lines.some((line) => line.includes('events were lost'));
  await eventually(() => isTold() || watch.lines.length >= 2 * changeCount);
});
