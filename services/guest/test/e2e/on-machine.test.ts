// Tests that run on the machine because a container cannot run them: mounts need rights that a sandbox does not have,
// and gVisor has no long file in /proc.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NativeHelper, recordsOf, segmentsOf } from '../native-helper.ts';
import { startTestGuest } from '../test-guest.ts';

const bytesPerKb = 1024;

test('a full disk loses pieces of the log, whole, and never the process or its count', async () => {
  await using helper = await NativeHelper.start();
  const logFolder = await helper.logFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', logFolder]);
  try {
    const { record } = await helper.run({ args: ['seq', '1', '100000'], logFolder });
    const expected = Buffer.from(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect(record).toMatchObject({ exitCode: 0, stdout: expected.length });
    const segments = await segmentsOf(logFolder, 'stdout');
    expect(segments.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(256 * bytesPerKb);
    for (const { start, bytes } of segments)
      expect(bytes.equals(expected.subarray(start, start + bytes.length))).toBe(true);
    // Every record is whole.
    for (const { text } of await recordsOf(logFolder)) expect(expected.toString()).toContain(text);
  } finally {
    execFileSync('umount', ['-l', logFolder]);
  }
});

test('a file that is a mount point is written where it is', async () => {
  await using guest = await startTestGuest();
  const folder = await mkdtemp(join(tmpdir(), 'mounted-'));
  const path = join(folder, 'mounted');
  await writeFile(path, 'old and longer');
  execFileSync('mount', ['--bind', path, path]);
  try {
    expect((await guest.put(guest.at(path), { content: 'new' })).status).toBe(200);
    expect(await readFile(path, 'utf8')).toBe('new');
    expect(await readdir(folder)).toEqual(['mounted']);
  } finally {
    execFileSync('umount', [path]);
    await rm(folder, { recursive: true });
  }
});

test('a file of /proc longer than any buffer is sent whole, without a length', async () => {
  await using guest = await startTestGuest();
  const answer = await guest.ask('/filesystem//proc/kallsyms?download=true');
  expect([answer.status, answer.headers['content-length']]).toEqual([200, undefined]);
  expect(answer.bytes.length).toBeGreaterThan(512 * bytesPerKb);
});
