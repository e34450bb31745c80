import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { childrenOf } from '../../../tests/harness/children-of.ts';
import { residentMb } from '../../../tests/harness/resident-mb.ts';
import { isFull } from '../../../tests/harness/size.ts';
import { eventually } from './eventually.ts';
import {
  type Connection,
  NativeHelper,
  newKey,
  recordsOf,
  type Segment,
  segmentsOf,
  textOf,
  u64,
} from './native-helper.ts';

const bytesPerKb = 1024;

let helper: NativeHelper;
let guest: Connection;
beforeAll(async () => {
  helper = await NativeHelper.start();
  guest = await helper.connection(0);
});
afterAll(() => helper[Symbol.asyncDispose]());

const numbers = (last: number) => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('');
const bytesOf = (segments: readonly Segment[]) => segments.reduce((sum, { bytes }) => sum + bytes.length, 0);

test('R-03 the head of a long log is removed in whole files, and the rest keeps its offsets', async () => {
  const most = 512 * bytesPerKb;
  const { record, logFolder } = await helper.run({ args: ['seq', '1', '300000'], maxLogBytes: most });
  const expected = Buffer.from(numbers(300_000));
  expect(record.stdout).toBe(expected.length);
  for (const log of ['stdout', 'all'] as const) {
    const segments = await segmentsOf(logFolder, log);
    expect(segments[0]?.start).toBeGreaterThan(0);
    for (const [index, { start, bytes }] of segments.entries())
      expect(start + bytes.length).toBe(segments[index + 1]?.start ?? record[log]);
    expect(bytesOf(segments)).toBeGreaterThanOrEqual((most * 7) / 8);
    expect(bytesOf(segments)).toBeLessThan((most * 7) / 8 + most / 8 + 64 * bytesPerKb);
  }
  for (const { start, bytes } of await segmentsOf(logFolder, 'stdout'))
    expect(bytes.equals(expected.subarray(start, start + bytes.length))).toBe(true);
  // Files of `all` begin with a record, so the rest can be read without the head.
  const kept = (await recordsOf(logFolder)).map(({ text }) => text).join('');
  expect(expected.toString().endsWith(kept)).toBe(true);
});

test('without a limit everything is kept', async () => {
  const { logFolder } = await helper.run({ args: ['seq', '1', '300000'] });
  expect(await textOf(logFolder, 'stdout')).toBe(numbers(300_000));
});

test('a lower limit applies to a process that has ended, too', async () => {
  const [key, logFolder] = [newKey(), await helper.logFolder()];
  guest.spawn(key, { args: ['seq', '1', '300000'], logFolder, maxLogBytes: 1024 * bytesPerKb });
  await guest.next('x', key);
  guest.send('L', key, u64(300 * bytesPerKb));
  guest.send('O', key, u64(0));
  await guest.next('o', key);
  const kept = bytesOf(await segmentsOf(logFolder, 'stdout'));
  expect(kept).toBeGreaterThanOrEqual((300 * bytesPerKb * 7) / 8);
  expect(kept).toBeLessThan(600 * bytesPerKb);
});

test('R-07 all output before the end is in the log when the end is reported, however it was written', async () => {
  for (let round = 0; round < 10; round++) {
    const { record, logFolder } = await helper.run({ args: ['sh', '-c', 'seq 1 9000; seq 1 9000 >&2; printf end'] });
    const expected = numbers(9000);
    expect(record).toMatchObject({ stdout: expected.length + 3, stderr: expected.length });
    expect(await textOf(logFolder, 'stdout')).toBe(`${expected}end`);
    expect(await textOf(logFolder, 'stderr')).toBe(expected);
  }
});

test('a descendant that outlives the leader delays no end, and is still read', async () => {
  const folder = await helper.logFolder();
  const script = '(while ! test -e go; do sleep 0.02; done; echo late) & echo early';
  const { record, logFolder } = await helper.run({ args: ['sh', '-c', script], folder });
  expect(record).toMatchObject({ ended: true, exitCode: 0, stdout: 6 });
  execFileSync('touch', [`${folder}/go`]);
  await eventually(async () => (await textOf(logFolder, 'stdout')) === 'early\nlate\n');
});

test('a server in the background does not die because the shell that started it is forgotten', async () => {
  const [key, folder] = [newKey(), await helper.logFolder()];
  const script = '(while ! test -e go; do sleep 0.02; done; seq 1 30000; echo still here > proof) & exit 0';
  guest.spawn(key, { args: ['sh', '-c', script], folder, logFolder: await helper.logFolder() });
  await guest.next('x', key);
  guest.send('F', key);
  execFileSync('touch', [`${folder}/go`]);
  await eventually(async () => (await readFile(`${folder}/proof`, 'utf8').catch(() => '')) === 'still here\n');
});

test('an answer about output comes when there is more, or when the process has ended', async () => {
  const key = newKey();
  guest.spawn(key, { args: ['cat'], logFolder: await helper.logFolder(), input: 'pipe' });
  await guest.next('s', key);
  guest.send('O', key, u64(0));
  guest.send('W', key, Buffer.from('abc'));
  expect((await guest.next('o', key)).record).toMatchObject({ stdout: 3, all: 8, ended: false });
  guest.send('O', key, u64(3));
  expect((await guest.next('o', key)).record.all).toBe(8);
  guest.send('O', key, u64(8));
  guest.send('E', key);
  expect((await guest.next('o', key)).record).toMatchObject({ all: 8, ended: true });
});

test('orphans are reaped', async () => {
  for (let round = 0; round < 20; round++)
    await helper.run({ args: ['sh', '-c', '(sh -c "sleep 0.05; exit 3" &) ; exit 0'] });
  const { pid } = helper.process;
  const guestPid = await helper.process.guestPid();
  await eventually(async () => childrenOf(pid).every((child) => child.pid === guestPid));
});

const rounds = isFull ? 10 : 4;

test('R-08 hundreds of short processes leave no descriptor and no memory behind', async () => {
  const { pid } = helper.process;
  const round = async (count: number) => {
    const keys = Array.from({ length: count }, newKey);
    for (const key of keys) guest.spawn(key, { args: ['true'], logFolder: await helper.logFolder() });
    for (const key of keys) {
      await guest.next('x', key);
      guest.send('F', key);
    }
    await helper.run({ args: ['true'] });
  };
  await round(20);
  const [descriptors, memoryKb] = [(await readdir(`/proc/${pid}/fd`)).length, await residentKb(pid)];
  for (let count = 0; count < rounds; count++) await round(50);
  // One descriptor for each run that was not forgotten: its log folder.
  expect((await readdir(`/proc/${pid}/fd`)).length).toBe(descriptors + rounds);
  expect(await residentKb(pid)).toBeLessThan(memoryKb + 512);
});

test('R-02 two hundred processes that print without end leave the helper as small as before', async () => {
  const { pid } = helper.process;
  const keys = Array.from({ length: 200 }, newKey);
  const folders = new Map<string, string>();
  for (const key of keys) {
    const logFolder = await helper.logFolder();
    folders.set(key, logFolder);
    const args = ['sh', '-c', 'read go; exec yes'];
    guest.spawn(key, { args, logFolder, maxLogBytes: 64 * bytesPerKb, input: 'pipe' });
    await guest.next('s', key);
  }
  const silentKb = await residentKb(pid);
  for (const key of keys) guest.send('W', key, Buffer.from('go\n'));
  const printed = (leastBytes: number) =>
    eventually(async () => {
      for (const key of keys) guest.send('O', key, u64(0));
      const answers = await Promise.all(keys.map((key) => guest.next('o', key)));
      return answers.every(({ record }) => record.stdout > leastBytes);
    });
  // Checked twice, each time after more output than a log keeps. A helper that kept one pipe of 64 KiB for each process
  // would grow by 12 MB.
  for (const leastBytes of [100 * bytesPerKb, 200 * bytesPerKb]) {
    await printed(leastBytes);
    expect((await residentKb(pid)) - silentKb).toBeLessThan(2 * bytesPerKb);
  }
  for (const key of keys) guest.send('K', key, Buffer.from([9]));
  for (const key of keys) {
    expect((await guest.next('x', key)).record.signal).toBe(9);
    expect(bytesOf(await segmentsOf(folders.get(key) ?? '', 'stdout'))).toBeLessThan(200 * bytesPerKb);
  }
});

async function residentKb(pid: number): Promise<number> {
  return (await residentMb(pid)) * bytesPerKb;
}
