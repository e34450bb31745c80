import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { eventually } from './eventually.ts';
import { NativeHelper, newKey, textOf, u64 } from './native-helper.ts';

test('R-09 a killed guest takes no process with it: the next one is told of all of them, and their output goes on', async () => {
  await using helper = await NativeHelper.start();
  const first = await helper.connection(0);
  const [running, ended, logFolder] = [newKey(), newKey(), await helper.logFolder()];
  const script = 'echo one; while ! test -e go; do sleep 0.02; done; echo two; exit 7';
  const folder = helper.process.stateFolder;
  first.spawn(running, { args: ['sh', '-c', script], logFolder, folder });
  first.spawn(ended, { args: ['sh', '-c', 'exit 3'], logFolder: await helper.logFolder() });
  const { record } = await first.next('s', running);
  await first.next('x', ended);
  process.kill(await helper.process.guestPid(), 'SIGKILL');
  const second = await helper.connection(1);
  const told = [await second.next('r'), await second.next('r')];
  await second.next('y');
  expect(told.find(({ key }) => key === running)?.record).toMatchObject({
    pid: record.pid,
    startTicks: record.startTicks,
    ended: false,
  });
  expect(told.find(({ key }) => key === ended)?.record).toMatchObject({ ended: true, exitCode: 3 });
  await writeFile(join(folder, 'go'), '');
  expect((await second.next('x', running)).record).toMatchObject({ exitCode: 7, stdout: 8 });
  expect(await textOf(logFolder, 'stdout')).toBe('one\ntwo\n');
});

test('a connection made while the guest is away is answered by the next one', async () => {
  await using helper = await NativeHelper.start();
  await helper.connection(0);
  const old = await helper.process.guestPid();
  process.kill(old, 'SIGKILL');
  const answers = await Promise.all(Array.from({ length: 20 }, () => helper.aboutGuest()));
  for (const { pid } of answers) expect(pid).not.toBe(old);
});

test('a guest that ends at once is started again, each time a little later', async () => {
  const place = await mkdtemp(join(tmpdir(), 'short-'));
  try {
    const times = join(place, 'times');
    // A shell in place of Node.js, whose start takes longer than a short life on a busy machine.
    const node = join(place, 'node');
    await writeFile(node, `#!/bin/sh\ndate +%s%3N >> ${times}\n`, { mode: 0o755 });
    await using _helper = await startGuestProcess({ node, withoutWaiting: true });
    const gaps = async () => {
      const at = (await readFile(times, 'utf8').catch(() => '')).trim().split('\n').map(Number);
      return at.slice(1).map((time, index) => time - (at[index] ?? 0));
    };
    // On a busy machine a guest may live for longer than a second; then the pauses begin again with the shortest.
    const grow = (all: readonly number[]) =>
      all.some((_, from) => [50, 100, 200, 400].every((least, index) => (all[from + index] ?? 0) >= least));
    await eventually(async () => grow(await gaps()));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

const malformed = [
  ['a length below the head', Buffer.from([3, 0, 0, 0, 1, 2, 3])],
  ['a length above four megabytes', Buffer.from([1, 0, 64, 0])],
  ['a type that nobody knows', Buffer.concat([Buffer.from([17, 0, 0, 0]), Buffer.from('Z0123456789abcdef')])],
  [
    'a wish without its texts',
    Buffer.concat([Buffer.from([38, 0, 0, 0]), Buffer.from('S0123456789abcdef'), Buffer.alloc(21)]),
  ],
] as const;

test(`${malformed.map(([what]) => what).join(', ')}: each ends the guest, and nothing else`, async () => {
  await using helper = await NativeHelper.start();
  const key = newKey();
  for (const [index, [what, bytes]] of malformed.entries()) {
    const guest = await helper.connection(index);
    if (index === 0) guest.spawn(key, { args: ['sleep', '600'], logFolder: await helper.logFolder() });
    await guest.next(index === 0 ? 's' : 'r', key);
    guest.socket.write(bytes);
    await guest.untilClosed();
    expect((await (await helper.connection(index + 1)).next('y')).type, what).toBe('y');
    expect(helper.process.output().match(/malformed frame/g), what).toHaveLength(index + 1);
  }
  const next = await helper.connection(malformed.length);
  expect((await next.next('r', key)).record.ended).toBe(false);
});

test('half a frame of a dead guest is never seen', async () => {
  await using helper = await NativeHelper.start();
  const guest = await helper.connection(0);
  guest.socket.write(Buffer.from([200, 0, 0, 0, 75]));
  process.kill(await helper.process.guestPid(), 'SIGKILL');
  const next = await helper.connection(1);
  await next.next('y');
  const key = newKey();
  next.spawn(key, { args: ['true'], logFolder: await helper.logFolder() });
  expect((await next.next('x', key)).record.exitCode).toBe(0);
});

test('a guest that does not read holds up no output', async () => {
  await using helper = await NativeHelper.start();
  const guest = await helper.connection(0);
  const guestPid = await helper.process.guestPid();
  const [key, logFolder] = [newKey(), await helper.logFolder()];
  guest.spawn(key, { args: ['sh', '-c', 'read go; seq 1 100000'], logFolder, input: 'pipe' });
  await guest.next('s', key);
  guest.send('O', key, u64(0));
  guest.send('W', key, Buffer.from('go\n'));
  await guest.next('w', key);
  process.kill(guestPid, 'SIGSTOP');
  try {
    await eventually(async () => (await textOf(logFolder, 'stdout')).endsWith('100000\n'));
  } finally {
    process.kill(guestPid, 'SIGCONT');
  }
  expect((await guest.next('o', key)).record.all).toBeGreaterThan(0);
  expect((await guest.next('x', key)).record.stdout).toBe(588_895);
});

test('the guest gets its heap limit, its arguments, the state folder and both descriptors', async () => {
  await using helper = await NativeHelper.start({ args: ['--command', 'echo hello'] });
  const told = await helper.aboutGuest();
  expect(told.execArgv).toContainEqual(expect.stringMatching(/^--max-old-space-size=\d+$/));
  expect(told.argv.slice(-2)).toEqual(['--command', 'echo hello']);
  expect(told.env.SANDBOX_LOG_DIR).toBe(helper.process.stateFolder);
});

test('variables of an image for loaders and Node.js reach the workload, and do not change the guest', async () => {
  const variables = { NODE_OPTIONS: '--no-such-option', LD_PRELOAD: '/nowhere.so', LD_LIBRARY_PATH: '/of/the/image' };
  await using helper = await NativeHelper.start({ variables });
  const { env } = await helper.aboutGuest();
  for (const [name, value] of Object.entries(variables)) {
    expect(env[name]).toBeUndefined();
    expect(env[`SANDBOX_HELD_${name}`]).toBe(value);
  }
});

test('SIGTERM ends the guest and every process that listens to it at once, and kills the others after ten seconds', async () => {
  await using listening = await NativeHelper.start();
  await using deaf = await NativeHelper.start();
  const startIn = async (helper: NativeHelper, trap: string) => {
    const guest = await helper.connection(0);
    const [key, logFolder] = [newKey(), await helper.logFolder()];
    const args = ['sh', '-c', `trap "${trap}" TERM; echo up; while :; do sleep 0.05; done`];
    guest.spawn(key, { args, logFolder });
    const { record } = await guest.next('s', key);
    await eventually(async () => (await textOf(logFolder, 'stdout')) === 'up\n');
    return { record, logFolder };
  };
  const [polite, stubborn] = [await startIn(listening, 'echo bye; exit 0'), await startIn(deaf, '')];
  const startedAt = Date.now();
  // The helper whose processes ignore the signal gets it first and ends last.
  for (const helper of [deaf, listening]) process.kill(helper.process.pid, 'SIGTERM');
  const ends: string[] = [];
  const [first, last] = await Promise.all([
    listening.process.ended.finally(() => ends.push('listening')),
    deaf.process.ended.finally(() => ends.push('deaf')),
  ]);
  expect([first, last]).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
  expect(ends).toEqual(['listening', 'deaf']);
  expect(Date.now() - startedAt).toBeGreaterThan(9_500);
  expect(await textOf(polite.logFolder, 'stdout')).toBe('up\nbye\n');
  // A killed process stays in /proc for a moment, until its parent has read its end.
  await eventually(async () => (await readFile(`/proc/${stubborn.record.pid}/cmdline`, 'utf8').catch(() => '')) === '');
});
