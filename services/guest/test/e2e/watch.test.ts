import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildGuest } from '../../../../engines/guest/runtime.ts';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { type GuestProcess, startGuestProcess } from '../../../../tests/harness/guest-process.ts';
import { isFull, runtimesOf } from '../../../../tests/harness/size.ts';
import { readWatch, type WatchedEvent } from '../../../../tests/harness/watch-reader.ts';
import { useGuestDocker } from './guest-docker.ts';
import { startKernelWatch } from './watch/kernel-watch.ts';
import { writePackages, writeProject } from './watch/package-tree.ts';

const run = promisify(execFile);
const packages = isFull ? 300 : 25;
const root = mkdtempSync(join(tmpdir(), 'berth-watch-'));
let guest: GuestProcess;
let tarballs: string[] = [];

const docker = useGuestDocker();

beforeAll(async () => {
  guest = await startGuestProcess({ variables: { DISABLE_REQUEST_LOGGING: '1' } });
  tarballs = writePackages(root, packages, 6, 12);
});
afterAll(async () => {
  await guest[Symbol.asyncDispose]();
  rmSync(root, { recursive: true, force: true });
});

const below = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
const pathOf = ({ path, name }: WatchedEvent) => `${path}/${name}`;
const createdIn = (events: readonly WatchedEvent[]) => events.filter(({ op }) => op === 'CREATE').map(pathOf);
const watchBelow = (url: string, folder: string) =>
  readWatch(`${url}/watch/filesystem/${encodeURIComponent(`${folder}/**`)}`);

/** Paths that were reported as created twice without having been removed or renamed in between. */
function reportedTwice(events: readonly WatchedEvent[]): string[] {
  const there = new Set<string>();
  const twice: string[] = [];
  for (const event of events) {
    const path = pathOf(event);
    if (event.op === 'CREATE' && there.has(path)) twice.push(path);
    if (event.op === 'CREATE') there.add(path);
    if (event.op === 'RENAME') for (const other of there) if (`${other}/`.startsWith(`${path}/`)) there.delete(other);
    if (event.op === 'REMOVE') there.delete(path);
  }
  return twice;
}

test('R-31 while archives are unpacked, the watch reports exactly what the kernel saw appear, each once', async () => {
  const folder = join(root, 'unpacked');
  mkdirSync(folder);
  using kernel = await startKernelWatch(folder, root);
  using watch = await watchBelow(guest.url, folder);
  for (const [index, tarball] of tarballs.entries()) {
    mkdirSync(join(folder, `${index}`));
    await run('tar', ['-xzf', tarball, '-C', join(folder, `${index}`)]);
  }
  const last = join(folder, 'last');
  writeFileSync(last, '');
  await Promise.all([watch.until(last), kernel.until(last)]);
  expect(watch.events().filter(({ op }) => op === 'ERROR')).toEqual([]);
  expect(createdIn(watch.events()).toSorted()).toEqual(kernel.paths().toSorted());
  expect(createdIn(watch.events()).toSorted()).toEqual(below(folder).toSorted());
});

test('R-31 a package install leaves nothing that was not reported', async () => {
  const folder = join(root, 'project');
  mkdirSync(folder);
  writeProject(folder, tarballs);
  using watch = await watchBelow(guest.url, folder);
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--cache', join(root, 'npm-cache')];
  await run('npm', ['install', ...quiet], { cwd: folder });
  const last = join(folder, 'last');
  writeFileSync(last, '');
  await watch.until(last);
  expect(watch.events().filter(({ op }) => op === 'ERROR')).toEqual([]);
  const created = new Set(createdIn(watch.events()));
  const missing = below(folder).filter((path) => !created.has(path) && path !== join(folder, 'package.json'));
  expect(missing).toEqual([]);
  expect(reportedTwice(watch.events())).toEqual([]);
  console.log(`watch: ${watch.events().length} events of an install of ${packages} packages, none lost, none twice`);
});

test('R-32 a watch that may set no more watches says so, and goes on with those it has', async () => {
  const folder = join(root, 'wide');
  for (let count = 0; count < 50; count += 1) mkdirSync(join(folder, `${count}`), { recursive: true });
  // Sets the limit in a user namespace: the machine's limit applies to all processes.
  const script = 'echo 10 > /proc/sys/user/max_inotify_watches && timeout 2 "$0/watch" --recursive "$1"; true';
  const words = ['-Ur', 'sh', '-c', script, await buildGuest(), folder];
  const { stdout } = await run('unshare', words, { encoding: 'latin1' });
  expect(stdout.split('\0').slice(0, 2)).toEqual(['L', 'Y']);
});

// The small size tests gVisor: the tests above run on the machine's kernel.
test.each(runtimesOf('runsc'))(
  'R-31 R-32 in a container of %s, new folders are seen whole, and a watch of everything leaves out the pseudo file systems',
  async (runtime) => {
    const wish = { image: docker.image, runtime, workingDirectory: '/' };
    await using sandbox = await startGuestContainer(docker.url, wish);
    using watch = await readWatch(`${sandbox.url}/watch/filesystem//**`);
    const command = 'for n in 1 2 3 4 5 6 7 8; do mkdir -p /srv/n$n/a/b/c; : > /srv/n$n/a/b/c/f; done; : > /srv/last';
    const body = JSON.stringify({ command, waitForCompletion: true });
    expect((await fetch(`${sandbox.url}/process`, { method: 'POST', body })).status).toBe(200);
    await watch.until('/srv/last');
    const created = createdIn(watch.events()).filter((path) => path.startsWith('/srv/'));
    const expected = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((count) =>
      ['', '/a', '/a/b', '/a/b/c', '/a/b/c/f'].map((rest) => `/srv/n${count}${rest}`),
    );
    expect(created.toSorted()).toEqual([...expected, '/srv/last'].toSorted());
    expect(watch.events().filter(({ path }) => /^\/(proc|sys|dev)(\/|$)/.test(path))).toEqual([]);
  },
);
