import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, NativeHelper, newKey, recordsOf, textOf, u64 } from './native-helper.ts';

let helper: NativeHelper;
let guest: Connection;
beforeAll(async () => {
  helper = await NativeHelper.start();
  guest = await helper.connection(0);
  await guest.next('y');
});
afterAll(() => helper[Symbol.asyncDispose]());

describe('starting a process', () => {
  test.for([
    ['exit 0', 0, 0],
    ['exit 42', 42, 0],
    ['kill -TERM $$', 128 + 15, 15],
    ['kill -KILL $$', 128 + 9, 9],
  ] as const)('`%s` ends with code %i and signal %i', async ([command, exitCode, signal]) => {
    const key = newKey();
    guest.spawn(key, { args: ['sh', '-c', command], logFolder: await helper.logFolder() });
    const spawned = await guest.next('s', key);
    expect(spawned).toMatchObject({ stage: 0, errno: 0 });
    expect(spawned.record.pid).toBeGreaterThan(0);
    expect(spawned.record.startTicks).toBeGreaterThan(0);
    expect((await guest.next('x', key)).record).toMatchObject({ ended: true, exitCode, signal });
  });

  test('a failed start is reported with the stage and the reason, not as an exit', async () => {
    const { ENOENT, EACCES } = constants.errno;
    const cases = [
      { wish: { args: ['true'], folder: '/nowhere' }, stage: 1, errno: ENOENT },
      { wish: { args: ['no-such-program'] }, stage: 2, errno: ENOENT },
      { wish: { args: ['/etc/passwd'] }, stage: 2, errno: EACCES },
      { wish: { args: ['true'], env: { PATH: '/nowhere' } }, stage: 2, errno: ENOENT },
      { wish: { args: ['true'], logFolder: '/nowhere' }, stage: 3, errno: ENOENT },
    ];
    for (const { wish, stage, errno } of cases) {
      const key = newKey();
      guest.spawn(key, { logFolder: await helper.logFolder(), ...wish });
      expect(await guest.next('s', key)).toMatchObject({ stage, errno });
    }
    expect(guest.answers.filter(({ type }) => type === 'x')).toEqual([]);
  });

  test('output is kept per stream, and interleaved in the order of arrival', async () => {
    const [key, logFolder] = [newKey(), await helper.logFolder()];
    const script = 'echo a; read go; echo b >&2; read go; printf c';
    guest.spawn(key, { args: ['sh', '-c', script], logFolder, input: 'pipe' });
    // Each piece is written once the helper has read the previous one: the process sets the order, not the scheduler.
    for (const seen of [0, 2 + 5]) {
      guest.send('O', key, u64(seen));
      await guest.next('o', key);
      guest.send('W', key, Buffer.from('\n'));
    }
    const { record } = await guest.next('x', key);
    expect(record).toMatchObject({ stdout: 3, stderr: 2, all: 3 + 2 + 3 * 5 });
    expect(await textOf(logFolder, 'stdout')).toBe('a\nc');
    expect(await textOf(logFolder, 'stderr')).toBe('b\n');
    expect(await recordsOf(logFolder)).toEqual([
      { stream: 1, text: 'a\n' },
      { stream: 2, text: 'b\n' },
      { stream: 1, text: 'c' },
    ]);
  });
});
