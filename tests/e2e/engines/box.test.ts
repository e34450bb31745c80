// The machine in which the installation is tested: what it is able to do, what it cannot reach, and that it leaves nothing behind.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { environment } from '@berth/telemetry';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Box } from '../../../engines/box/box.ts';
import { gvisor, installedRunsc } from '../../../engines/gvisor.ts';
import { folderOfRun, markOf, runFolder } from '../../../engines/run.ts';
import { sweepAbandonedRuns } from '../../../engines/sweep.ts';
import { tinyImageTar } from '../../../engines/tiny-image.ts';
import { isFull } from '../../harness/size.ts';
import { type Census, censusOf } from './census.ts';

const root = resolve(import.meta.dirname, '../../..');
const settings = {
  runtimes: { runsc: { path: '/opt/gvisor/runsc', runtimeArgs: ['--platform=systrap', '--overlay2=root:self'] } },
};

describe.skipIf(!isFull)('a box', () => {
  const made = new AsyncDisposableStack();
  let box: Box;

  beforeAll(async () => {
    await gvisor.install();
    const runsc = (await installedRunsc()) ?? '';
    const files = await runFolder('box-files');
    await mkdir(join(files, 'gvisor'), { recursive: true });
    await writeFile(join(files, 'tiny.tar'), await tinyImageTar());
    execFileSync('cp', [runsc, join(files, 'gvisor/runsc')]);
    box = made.use(
      await Box.start({
        ...{ name: 'engines', number: 3, memoryMb: 4_096 },
        folders: { '/opt/gvisor': join(files, 'gvisor'), '/opt/images': files },
      }),
    );
    await box.run(`mkdir -p /etc/docker && echo '${JSON.stringify(settings)}' >/etc/docker/daemon.json`);
    await box.run('systemctl reload docker && docker import /opt/images/tiny.tar tiny');
  });
  afterAll(() => made.disposeAsync());

  test.each(['runc', 'runsc'])('runs a container on %s, whose network reaches the box', async (runtime) => {
    const command = `docker run --rm --runtime ${runtime} tiny`;
    expect(await box.run(`${command} cat /www/index.html`)).toBe('berth\n');
    await box.run(
      `docker run --detach --name web-${runtime} --runtime ${runtime} tiny busybox httpd -f -p 8080 -h /www`,
    );
    const address = await box.run(
      `docker inspect --format '{{.NetworkSettings.IPAddress}}' web-${runtime} | tr -d '\\n'`,
    );
    expect(await box.run(`curl --silent --retry 20 --retry-connrefused http://${address}:8080/`)).toBe('berth\n');
    const kernel = await box.run(`${command} dmesg 2>&1 | head -1 || true`);
    expect(kernel.includes('gVisor')).toBe(runtime === 'runsc');
  });

  test('has the Compose of an operator, and containers of a unit that is killed outlive it', async () => {
    expect(await box.run('docker compose version')).toMatch(/v?2\.\d+/);
    const printed = Promise.withResolvers<void>();
    const command = box.start('docker run --detach --name kept tiny sleep 1000 && echo started && sleep 1000', {
      onLine: (line) => {
        if (line === 'started') printed.resolve();
      },
    });
    await Promise.race([printed.promise, command.ended]);
    await command.kill();
    expect((await command.ended).code).not.toBe(0);
    expect(await box.run('docker ps --format "{{.Names}}" --filter name=kept')).toBe('kept\n');
  });

  test('reaches the outer end of its wire, and nothing else', async () => {
    const server = createServer((socket) => socket.end('outside\n'));
    await once(server.listen(0, box.outside), 'listening');
    onTestFinished(() => void server.close());
    const place = server.address();
    if (place === null || typeof place === 'string') throw new Error('The server has no port.');
    const curl = 'curl --silent --show-error --connect-timeout 2';
    expect(await box.run(`${curl} --http0.9 http://${box.outside}:${place.port}/`)).toBe('outside\n');
    for (const url of [
      'http://192.0.2.1',
      'https://1.1.1.1',
      'https://[2606:4700:4700::1111]',
      'http://deb.debian.org',
    ])
      expect((await box.exec(`${curl} ${url}`)).code, url).not.toBe(0);
  });

  test('has cgroups and settings of its own, and leaves those of this machine as they were', async () => {
    const limit = await box.run('cat /sys/fs/cgroup/memory/memory.limit_in_bytes');
    expect(Number(limit)).toBe(4_096 * 2 ** 20);
    expect(await box.run('ls /sys/fs/cgroup/memory')).toMatch(/^system\.slice$/m);
    expect(await box.run('ls -d /sys/fs/cgroup/memory/berth-* 2>/dev/null || true')).toBe('');
    expect(existsSync('/sys/fs/cgroup/memory/system.slice/docker.service')).toBe(false);
    const forwarding = 'net.ipv4.ip_forward';
    const before = readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8');
    for (const value of ['0', '1']) expect(await box.run(`sysctl -w ${forwarding}=${value}`)).toContain(value);
    expect(readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8')).toBe(before);
    expect((await box.exec('echo 40000 >/proc/sys/kernel/pid_max')).output).toContain('Read-only file system');
  });
});

test('a box whose run was killed is swept, also with a frozen container in it', async () => {
  const words = [join(import.meta.dirname, 'keep-box.ts')];
  const env = { PATH: environment.PATH, HOME: environment.HOME };
  const child = spawn(process.execPath, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const mark = markOf(child.pid ?? 0) ?? '';
  const folder = await folderOfRun(mark);
  const [printed] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  expect(String(printed)).toBe('frozen\n');
  const census = () => censusOf(mark, folder, []);
  const some = expect.arrayContaining([expect.any(String)]);
  const whole = { containers: some, namespaces: some, links: some, cgroups: some };
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(census()).toMatchObject(whole);
  await sweepAbandonedRuns();
  const nothing: Census = {
    ...{ processes: [], containers: [], mounts: [], loopDevices: [], namespaces: [], links: [], cgroups: [] },
  };
  expect(census()).toEqual(nothing);
  expect(existsSync(folder)).toBe(false);
});
