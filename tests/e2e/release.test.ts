// What `pnpm release` builds: the same bytes twice, a complete list of what is inside, signatures that notice a change, and programs
// that run. All other end-to-end tests run the same bundle of the server.
import { execFile } from 'node:child_process';
import { createReadStream, globSync, readFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { environment } from '@berth/telemetry';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { callDocker } from '../../engines/docker-api.ts';
import { startTestDocker } from '../../engines/test-docker.ts';
import { isFull } from '../harness/size.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const minutes = 60_000;
const user = 65_532;

describe.skipIf(!isFull)('a release', { timeout: 5 * minutes }, () => {
  const made = new AsyncDisposableStack();
  let folder: string;
  /** Two builds of the same commit, and what the archive of one of them holds. */
  let [one, other, unpacked] = ['', '', ''];

  /** From a clone of its own, for an account with other habits. */
  async function build(name: string, umask: string, zone: string): Promise<string> {
    const clone = join(folder, name, 'clone');
    const out = join(folder, name, 'out');
    await run('git', ['clone', '--quiet', root, clone]);
    const env = { PATH: environment.PATH, HOME: environment.HOME, TZ: zone, CI: '1' };
    const steps = `umask ${umask} && pnpm install --frozen-lockfile && pnpm release --out "$0" --key "$1"`;
    await run('sh', ['-c', steps, out, join(folder, 'key.pem')], { cwd: clone, env, maxBuffer: 2 ** 26 });
    return out;
  }

  beforeAll(async () => {
    folder = made.use(await temporaryFolder()).path;
    await run('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', join(folder, 'key.pem')]);
    await run('openssl', ['pkey', '-in', join(folder, 'key.pem'), '-pubout', '-out', join(folder, 'public.pem')]);
    one = await build('one', '022', 'UTC');
    other = await build('another place', '077', 'Asia/Tokyo');
    await mkdir(join(folder, 'unpacked'));
    const [archive = ''] = globSync(join(one, '*.tar.gz'));
    await run('tar', ['--extract', '--file', archive, '--directory', join(folder, 'unpacked')]);
    unpacked = join(folder, 'unpacked', (await readdir(join(folder, 'unpacked')))[0] ?? '');
  }, 10 * minutes);
  afterAll(() => made.disposeAsync());

  const text = (...path: string[]): Promise<string> => readFile(join(...path), 'utf8');

  test('has the same bytes wherever, whenever and by whom it is built', async () => {
    const names = (await readdir(one)).toSorted();
    expect(names).toEqual(
      [
        expect.stringMatching(/^berth-.+-image-linux-x64\.tar$/),
        expect.stringMatching(/^berth-.+-linux-x64\.tar\.gz$/),
        'SHA256SUMS',
        'SHA256SUMS.sig',
      ].toSorted(),
    );
    expect(await text(other, 'SHA256SUMS')).toBe(await text(one, 'SHA256SUMS'));
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: other });
  });

  test('is verified by openssl and sha256sum alone, and a changed byte is noticed', async () => {
    const verify = (file: string) =>
      run('openssl', [
        ...['pkeyutl', '-verify', '-rawin', '-pubin', '-inkey', join(folder, 'public.pem')],
        ...['-in', join(one, file), '-sigfile', join(one, 'SHA256SUMS.sig')],
      ]);
    expect((await verify('SHA256SUMS')).stdout).toContain('Signature Verified Successfully');
    const [archive = ''] = globSync(join(other, '*.tar.gz'));
    await changeByte(archive, 1_000_000);
    await expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: other })).rejects.toMatchObject({
      stdout: expect.stringContaining('.tar.gz: FAILED'),
    });
    await changeByte(join(one, 'SHA256SUMS'), 3);
    await expect(verify('SHA256SUMS')).rejects.toThrow();
    await changeByte(join(one, 'SHA256SUMS'), 3);
  });

  test('lists each of its files, and its programs run without anything of this machine', async () => {
    await run('sha256sum', ['--check', '--strict', 'files.sha256'], { cwd: unpacked });
    const listed = (await text(unpacked, 'files.sha256')).trimEnd().split('\n').length;
    const entries = await readdir(unpacked, { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile()).length).toBe(listed + 1);
    const env = { PATH: '/usr/bin:/bin' };
    expect((await run(join(unpacked, 'bin/berth-server'), ['--help'], { env })).stdout).toContain(
      'Usage: berth-server',
    );
    expect((await run(join(unpacked, 'bin/runsc'), ['--version'], { env })).stdout).toContain('runsc version');
  });

  test('its bill of materials names all software of others, and each has its licence', async () => {
    const { components } = JSON.parse(await text(unpacked, 'sbom.cdx.json'));
    const listed: { name: string; version: string; purl: string }[] = components;
    const npm = listed.filter(({ purl }) => purl.startsWith('pkg:npm/'));
    const lock = parse(await text(root, 'pnpm-lock.yaml'));
    expect(npm.filter(({ name, version }) => lock.packages[`${name}@${version}`] === undefined)).toEqual([]);
    const names = new Set(npm.map(({ name }) => name));
    const wanted = globSync('{packages,services}/*/package.json', { cwd: root }).flatMap((path) =>
      Object.keys(JSON.parse(readFileSync(join(root, path), 'utf8')).dependencies ?? {}).filter(
        (name) => !name.startsWith('@berth/'),
      ),
    );
    expect(wanted.filter((name) => !names.has(name))).toEqual([]);
    for (const name of ['node', 'gvisor.dev/gvisor', 'libc6', 'musl-dev'])
      expect(listed.map((component) => component.name)).toContain(name);
    const licences = await text(unpacked, 'THIRD-PARTY-LICENSES');
    expect(listed.filter(({ name, version }) => !licences.includes(`${name} ${version}`))).toEqual([]);
  });

  test('its image runs as a number, without a shell, and is at most 160 MB', async () => {
    await using docker = await startTestDocker();
    const [image = ''] = globSync(join(one, '*-image-*.tar'));
    await callDocker(docker.url, 'POST /images/load?quiet=1', {
      body: createReadStream(image),
      headers: { 'content-type': 'application/x-tar' },
    });
    const { version } = JSON.parse(await text(unpacked, 'release.json'));
    const ask = async (call: string, json?: unknown) =>
      JSON.parse((await callDocker(docker.url, call, { json })).body.toString() || '{}');
    const found = await ask(`GET /images/berth:${version}/json`);
    expect(found.Config.User).toBe(`${user}:${user}`);
    expect(found.Size).toBeLessThanOrEqual(160e6);
    const start = async (settings: object) => {
      const { Id } = await ask('POST /containers/create', {
        ...{
          Image: `berth:${version}`,
          NetworkDisabled: true,
          HostConfig: { ReadonlyRootfs: true, NetworkMode: 'none' },
        },
        ...settings,
      });
      await callDocker(docker.url, `POST /containers/${Id}/start`);
      const { StatusCode } = await ask(`POST /containers/${Id}/wait`);
      const logs = await callDocker(docker.url, `GET /containers/${Id}/logs?stdout=1&stderr=1`);
      return { code: StatusCode, output: logs.body.toString() };
    };
    expect(await start({ Cmd: ['--help'] })).toEqual({
      code: 0,
      output: expect.stringContaining('Usage: berth-server'),
    });
    const script = 'console.log(process.getuid(), require("fs").readdirSync("/usr/bin").join())';
    expect((await start({ Entrypoint: ['/usr/bin/node', '-e', script] })).output).toContain(`${user} node`);
    await expect(start({ Entrypoint: ['/bin/sh', '-c', 'true'] })).rejects.toThrow('no such file');
  });
});

async function changeByte(file: string, at: number): Promise<void> {
  await using handle = await open(file, 'r+');
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
}
