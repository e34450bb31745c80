import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startGuestProcess } from '../../../tests/harness/guest-process.ts';
import { NativeHelper, newKey, textOf } from './native-helper.ts';

const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot)('R-50 a workload user', () => {
  test.for([
    ['--user', { args: ['--user', '1000'] }],
    ['the variables', { variables: { SERVICE_SANDBOX_USER: '1000', SERVICE_SANDBOX_USER_ENABLED: 'true' } }],
    [
      'the variables of the brand',
      { variables: { SANDBOX_BRAND: 'Acme:ac', AC_SANDBOX_USER: '1000:1000', AC_SANDBOX_USER_ENABLED: '1' } },
    ],
  ] as const)('by %s: the guest and every process run as that account', async ([, wish]) => {
    await using helper = await NativeHelper.start(wish);
    const told = await helper.aboutGuest();
    expect(told).toMatchObject({ uid: 1000, gid: 1000, groups: [1000] });
    expect(told.env.SANDBOX_WORKLOAD_USER).toBeTruthy();
    expect(told.env.HOME).not.toBe(join(helper.process.stateFolder, '..'));
    expect(told.env.LOGNAME).toBe(told.env.USER);
    expect(await stat(helper.process.stateFolder)).toMatchObject({ uid: 1000, mode: 0o40700 });
    const { logFolder } = await helper.run({ args: ['sh', '-c', 'id -u; id -g; id -G; grep ^Uid: /proc/self/status'] });
    expect((await textOf(logFolder, 'stdout')).split('\n').slice(0, 3)).toEqual(['1000', '1000', '1000']);
    expect(await textOf(logFolder, 'stdout')).toContain('Uid:\t1000\t1000\t1000\t1000');
    const [name = ''] = await readdir(logFolder);
    expect(await stat(join(logFolder, name))).toMatchObject({ uid: 1000, mode: 0o100600 });
  });

  test('gets no file written where it may not write itself', async () => {
    await using helper = await NativeHelper.start({ args: ['--user', '1000'] });
    const roots = await mkdtemp(join(tmpdir(), 'roots-'));
    try {
      const guest = await helper.connection(0);
      const key = newKey();
      guest.spawn(key, { args: ['true'], logFolder: roots });
      expect(await guest.next('s', key)).toMatchObject({ stage: 3 });
      expect(await readdir(roots)).toEqual([]);
    } finally {
      await rm(roots, { recursive: true });
    }
  });

  test('cannot end the helper', async () => {
    await using helper = await NativeHelper.start({ args: ['--user', '1000'] });
    const { record } = await helper.run({ args: ['sh', '-c', `kill -KILL ${helper.process.pid}`] });
    expect(record.exitCode).not.toBe(0);
    expect((await helper.aboutGuest()).uid).toBe(1000);
  });

  test.for([
    ['no-such-account', /no account "no-such-account"/],
    ['1000:no-such-group', /no group "no-such-group"/],
    ['0', /is root/],
    ['root', /is root/],
    ['', /none is named/],
  ] as const)('"%s" starts nothing at all', async ([user, message]) => {
    const variables = { SERVICE_SANDBOX_USER: user, SERVICE_SANDBOX_USER_ENABLED: 'true' };
    await using helper = await startGuestProcess({ variables, withoutWaiting: true });
    expect(await helper.ended).toEqual({ code: 78, signal: null });
    expect(helper.output()).toMatch(message);
  });

  test('that is not switched on changes nothing', async () => {
    await using helper = await NativeHelper.start({
      variables: { SERVICE_SANDBOX_USER: '1000', SANDBOX_WORKLOAD_USER: 'liar' },
    });
    const told = await helper.aboutGuest();
    expect(told.uid).toBe(0);
    expect(told.env.SANDBOX_WORKLOAD_USER).toBeUndefined();
  });

  test('other than the account of the image is refused when the helper is not root', async () => {
    await using helper = await startGuestProcess({ account: 1000, args: ['--user', '1001'], withoutWaiting: true });
    expect(await helper.ended).toEqual({ code: 78, signal: null });
    expect(helper.output()).toContain('only root may change it');
  });
});

test.skipIf(!isRoot)('as an ordinary account everything works without any privilege', async () => {
  await using helper = await NativeHelper.start({ account: 1000 });
  const { record, logFolder } = await helper.run({ args: ['sh', '-c', 'id -u; exit 6'] });
  expect(record.exitCode).toBe(6);
  expect(await textOf(logFolder, 'stdout')).toBe('1000\n');
});

test('R-01 the out-of-memory killer takes the workload before the guest, and prefers the guest to no other process', async () => {
  await using helper = await NativeHelper.start();
  const { logFolder } = await helper.run({ args: ['cat', '/proc/self/oom_score_adj'] });
  expect(await textOf(logFolder, 'stdout')).toBe('500\n');
  const guest = Number(await readFile(`/proc/${await helper.process.guestPid()}/oom_score_adj`, 'utf8'));
  expect(guest).toBeLessThanOrEqual(0);
});

test('a process has its own session, no descriptors beyond three, default signals and the umask 022', async () => {
  await using helper = await NativeHelper.start();
  const script = 'echo $$; cut -d" " -f1,5,6 /proc/$$/stat; ls -m /proc/$$/fd; umask; ulimit -n';
  const { record, logFolder } = await helper.run({ args: ['sh', '-c', script] });
  const [pid, ids, descriptors, umask] = (await textOf(logFolder, 'stdout')).split('\n');
  expect(pid).toBe(`${record.pid}`);
  expect(ids).toBe(`${pid} ${pid} ${pid}`);
  // The script has no pipeline, for which the shell itself would hold another descriptor.
  expect(descriptors).toBe('0, 1, 2');
  expect(umask).toBe('0022');
  // Runs without a shell, which blocks signals while it forks.
  const signals = await helper.run({ args: ['grep', '-E', '^Sig(Blk|Ign):', '/proc/self/status'] });
  // gVisor reports no masks.
  const masks = (await textOf(signals.logFolder, 'stdout')).split('\n').filter((line) => line);
  expect(masks.filter((line) => BigInt(`0x${line.split(/\s+/)[1]}`) !== 0n)).toEqual([]);
});

test('a folder of the state that an earlier run left is emptied, what lies beside it is not', async () => {
  await using first = await NativeHelper.start();
  await first.logFolder();
  expect(await readdir(first.process.stateFolder)).toHaveLength(1);
  const place = join(first.process.stateFolder, '..');
  const beside = (await readdir(place)).sort();
  await using second = await NativeHelper.start({ variables: { SANDBOX_LOG_DIR: place } });
  expect(second.process.stateFolder).toBe(first.process.stateFolder);
  expect(await readdir(second.process.stateFolder)).toEqual([]);
  expect((await readdir(place)).sort()).toEqual(beside);
});
