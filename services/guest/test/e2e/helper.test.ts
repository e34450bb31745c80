// Repeats checks of services/guest/test on the helper in its real place: as process 1 of a container, with few
// capabilities.
import { constants } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runtimesOf } from '../../../../tests/harness/size.ts';
import { eventually } from '../eventually.ts';
import { type Connection, newKey, u64 } from '../native-helper.ts';
import { useGuestDocker } from './guest-docker.ts';
import { type HelperContainer, startHelperContainer } from './helper-container.ts';

const docker = useGuestDocker();

const users = [
  { name: 'root', wish: {}, uid: 0 },
  { name: 'the account of the image', wish: { user: '1000' }, uid: 1000 },
  { name: 'a workload user', wish: { args: ['--user', 'node'] }, uid: 1000 },
] as const;

// services/guest/test runs on gVisor's kernel (suites.test.ts); this file adds the machine's.
describe.for(runtimesOf('runc'))('on %s', (runtime) => {
  describe.for(users)('as $name', ({ wish, uid }) => {
    let helper: HelperContainer;
    let guest: Connection;
    beforeAll(async () => {
      helper = await startHelperContainer(docker.url, { image: docker.image, runtime, ...wish });
      guest = await helper.connect();
    });
    afterAll(() => helper[Symbol.asyncDispose]());

    test('processes run, end and fail as the protocol says', async () => {
      expect((await helper.about()).uid).toBe(uid);
      const script = 'id -u; cat /proc/self/oom_score_adj; ls -m /proc/$$/fd; exit 42';
      const { record, stdout } = await helper.run(guest, { args: ['sh', '-c', script] });
      expect(record).toMatchObject({ ended: true, exitCode: 42 });
      expect(record.startTicks).toBeGreaterThan(0);
      expect(stdout).toBe(`${uid}\n500\n0, 1, 2\n`);
      const { record: killed } = await helper.run(guest, { args: ['sh', '-c', 'kill -9 $$'] });
      expect(killed).toMatchObject({ exitCode: 137, signal: 9 });
      for (const [stage, wanted] of [
        [1, { args: ['true'], folder: '/nowhere' }],
        [2, { args: ['no-such-program'] }],
      ] as const) {
        const key = newKey();
        guest.spawn(key, { ...wanted, logFolder: await helper.logFolder() });
        expect(await guest.next('s', key)).toMatchObject({ stage, errno: constants.errno.ENOENT });
      }
      const { stdout: all } = await helper.run(guest, { args: ['seq', '1', '200000'] });
      expect(all).toHaveLength(1_288_895);
    });

    test('input, terminals and signals to a group', async () => {
      const cat = newKey();
      guest.spawn(cat, { args: ['cat'], logFolder: await helper.logFolder(), input: 'pipe' });
      await guest.next('s', cat);
      for (let count = 0; count < 10; count++) {
        guest.send('W', cat, Buffer.alloc(64 * 1024, 'a'));
        expect((await guest.next('w', cat)).ok).toBe(true);
      }
      guest.send('E', cat);
      expect((await guest.next('x', cat)).record).toMatchObject({ exitCode: 0, stdout: 640 * 1024 });

      const [shell, logFolder] = [newKey(), await helper.logFolder()];
      guest.spawn(shell, { args: ['sh'], logFolder, input: { cols: 101, rows: 33 } });
      expect(await guest.next('s', shell)).toMatchObject({ stage: 0 });
      guest.send('W', shell, Buffer.from(`stty size; sh -c 'echo be""gun; exec sleep 600'\n`));
      const shown = async () => Object.values(await helper.files(logFolder)).join('');
      await eventually(async () => (await shown()).includes('begun'));
      expect(await shown()).toContain('33 101');
      guest.send('W', shell, Buffer.from('\u0003'));
      guest.send('W', shell, Buffer.from('exit 5\n'));
      expect((await guest.next('x', shell)).record).toMatchObject({ exitCode: 5 });

      const group = newKey();
      guest.spawn(group, { args: ['sh', '-c', 'sleep 100 & sleep 100; wait'], logFolder: await helper.logFolder() });
      await guest.next('s', group);
      guest.send('K', group, Buffer.from([15]));
      expect((await guest.next('x', group)).record).toMatchObject({ signal: 15 });
    });

    test('a new guest replaces a killed one and learns of every process', async () => {
      const { pid } = await helper.about();
      const key = newKey();
      const script = `kill -9 ${pid}; while ! test -e /tmp/go; do sleep 0.05; done; echo on; exit 9`;
      guest.spawn(key, { args: ['sh', '-c', script], logFolder: await helper.logFolder() });
      await guest.untilClosed();
      // This connection is opened while no guest runs, and waits for the next guest.
      const next = await helper.connect();
      expect(await next.next('r', key)).toMatchObject({ record: { ended: false } });
      await next.next('y');
      next.send('O', key, u64(0));
      await helper.run(next, { args: ['touch', '/tmp/go'] });
      expect((await next.next('o', key)).record.stdout).toBe(3);
      expect((await next.next('x', key)).record.exitCode).toBe(9);
    });
  });

  test('R-01 when memory runs out the workload goes, and the API stays', async () => {
    await using helper = await startHelperContainer(docker.url, { image: docker.image, runtime, memoryMb: 256 });
    const guest = await helper.connect();
    const { pid } = await helper.about();
    const hog = 'const all = []; for (;;) all.push(Buffer.alloc(4 << 20, 1));';
    const { record } = await helper.run(guest, { args: ['/usr/local/bin/node', '-e', hog] });
    expect(record.exitCode).not.toBe(0);
    expect((await helper.about()).pid).toBe(pid);
  });
});
