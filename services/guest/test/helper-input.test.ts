import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { type Connection, NativeHelper, newKey, recordsOf, segmentsOf, textOf } from './native-helper.ts';

const sigkill = Buffer.from([9]);

let helper: NativeHelper;
let guest: Connection;
beforeAll(async () => {
  helper = await NativeHelper.start();
  guest = await helper.connection(0);
});
afterAll(() => helper[Symbol.asyncDispose]());

describe('a pipe as input', () => {
  test('written input arrives in order, is acknowledged once it is handed over, and ends when the input ends', async () => {
    const [key, logFolder] = [newKey(), await helper.logFolder()];
    guest.spawn(key, { args: ['cat'], logFolder, input: 'pipe' });
    await guest.next('s', key);
    const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(64 * 1024, 97 + (index % 26)));
    for (const piece of pieces) {
      guest.send('W', key, piece);
      expect((await guest.next('w', key)).ok).toBe(true);
    }
    guest.send('E', key);
    expect((await guest.next('x', key)).record).toMatchObject({ exitCode: 0, stdout: 40 * 64 * 1024 });
    expect(await textOf(logFolder, 'stdout')).toBe(Buffer.concat(pieces).toString());
  });

  test('without input a process reads the end at once', async () => {
    const { record } = await helper.run({ args: ['cat'] });
    expect(record).toMatchObject({ exitCode: 0, stdout: 0 });
  });

  test('a process that does not read blocks no other process, and its writer learns when it is gone', async () => {
    const key = newKey();
    guest.spawn(key, { args: ['sleep', '600'], logFolder: await helper.logFolder(), input: 'pipe' });
    await guest.next('s', key);
    guest.send('W', key, Buffer.alloc(512 * 1024));
    expect((await helper.run({ args: ['sh', '-c', 'exit 4'] })).record.exitCode).toBe(4);
    expect(guest.answers.filter((answer) => answer.type === 'w' && answer.key === key)).toEqual([]);
    guest.send('K', key, sigkill);
    expect((await guest.next('w', key)).ok).toBe(false);
    expect((await guest.next('x', key)).record.signal).toBe(9);
    guest.send('W', key, Buffer.from('late'));
    expect((await guest.next('w', key)).ok).toBe(false);
  });

  test('more than a megabyte of unread input ends the guest, not the helper', async () => {
    await using helper = await NativeHelper.start();
    const guest = await helper.connection(0);
    const key = newKey();
    guest.spawn(key, { args: ['sleep', '600'], logFolder: await helper.logFolder(), input: 'pipe' });
    await guest.next('s', key);
    for (let count = 0; count < 20; count++) guest.send('W', key, Buffer.alloc(64 * 1024));
    await guest.untilClosed();
    const next = await helper.connection(1);
    expect(await next.next('r')).toMatchObject({ key, record: { ended: false } });
  });
});

describe('a terminal', () => {
  test('is one: with a size, an echo, line editing and hang-up, kept in one log', async () => {
    const [key, logFolder] = [newKey(), await helper.logFolder()];
    const env = { PATH: '/usr/bin:/bin', PS1: '', TERM: 'dumb' };
    guest.spawn(key, { args: ['sh'], env, logFolder, input: { cols: 101, rows: 33 } });
    const { record } = await guest.next('s', key);
    guest.send('W', key, Buffer.from('stty size; tty; test -t 2 && echo y"e"s\n'));
    expect((await guest.next('w', key)).ok).toBe(true);
    await untilSeen(logFolder, 'yes\r\n');
    guest.send('R', key, Buffer.from([120, 0, 40, 0]));
    guest.send('W', key, Buffer.from('stty size\n'));
    await untilSeen(logFolder, '40 120');
    // The interrupt character reaches the foreground group, not the shell.
    // The command itself prints that it runs: the echo of its line comes before it is in the foreground.
    guest.send('W', key, Buffer.from(`sh -c 'echo be""gun; exec sleep 600'\n`));
    await untilSeen(logFolder, 'begun\r\n');
    guest.send('W', key, Buffer.from('\u0003'));
    guest.send('W', key, Buffer.from('exit 5\n'));
    const { record: ended } = await guest.next('x', key);
    expect(ended).toMatchObject({ pid: record.pid, exitCode: 5, stdout: 0, stderr: 0 });
    const text = (await recordsOf(logFolder)).map((one) => one.text).join('');
    expect(text).toContain('33 101\r\n');
    expect(text).toContain('/dev/pts/');
    expect((await recordsOf(logFolder)).every(({ stream }) => stream === 1)).toBe(true);
    expect(await segmentsOf(logFolder, 'stdout')).toEqual([]);
  });

  test('everything written until the end is in the log when the end is told', async () => {
    const script = 'stty -opost; seq 1 5000; echo last';
    const { logFolder } = await helper.run({ args: ['sh', '-c', script], input: { cols: 80, rows: 24 } });
    const text = (await recordsOf(logFolder)).map((one) => one.text).join('');
    expect(text.split('\n').slice(-3)).toEqual(['5000', 'last', '']);
  });
});

const untilSeen = (logFolder: string, text: string) =>
  eventually(async () =>
    (await recordsOf(logFolder))
      .map((one) => one.text)
      .join('')
      .includes(text),
  );
