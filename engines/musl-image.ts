// Images without glibc: one with musl as its only libc and a real shell, and one without any file. A sandbox must run
// in both.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { environment } from '@berth/telemetry';
import { debianMirror, requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { importImage } from './import-image.ts';

const compiler = '/usr/bin/musl-gcc';
const shellName = 'dash-0.5.12';
const sourceUrl = 'pool/main/d/dash/dash_0.5.12.orig.tar.gz';
const sourceHash = 'SHA256:6a474ac46e8b0b32916c4c60df694c82058d3297d8b385b74508030ca4a8f28a';
const passwdFile = 'root:x:0:0::/:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n';

export const muslImage: Installable = {
  name: 'musl-image',
  async install() {
    if (existsSync(await shellFile())) return;
    requireDebianPackages('The compiler for musl', ['musl-tools', 'gcc', 'make'], [compiler, '/usr/bin/make']);
    const staging = await mkdtemp(join(await engineFolder('images'), 'making-'));
    try {
      await buildShell(staging);
      await rename(join(staging, shellName, 'src/dash'), await shellFile());
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

/** Imports an image with musl, a shell and an account with id 1000 into the engine at `url`, and returns its name. */
export async function importMuslImage(url: string): Promise<string> {
  await muslImage.install();
  const root = await mkdtemp(join(await engineFolder('images'), 'root-'));
  try {
    await chmod(root, 0o755);
    for (const folder of ['bin', 'lib', 'etc', 'home', 'home/node', 'tmp']) await mkdir(join(root, folder));
    await chmod(join(root, 'tmp'), 0o1777);
    const loader = loaderOf(await shellFile());
    await copyFile(loader, join(root, loader));
    await copyFile(await shellFile(), join(root, 'bin/dash'));
    await symlink('dash', join(root, 'bin/sh'));
    await writeFile(join(root, 'etc/passwd'), passwdFile);
    await writeFile(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
    const tar = execFileSync('tar', ['--create', '--numeric-owner', '--directory', root, '.'], {
      maxBuffer: 64_000_000,
    });
    await importImage(url, 'berth-musl', tar, ['ENV PATH=/bin', 'CMD ["/bin/sh"]']);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
  return 'berth-musl:latest';
}

/** The image has no files or folders: a container has only what its runtime mounts. */
export async function importEmptyImage(url: string): Promise<string> {
  const twoEmptyBlocks = Buffer.alloc(1024);
  await importImage(url, 'berth-empty', twoEmptyBlocks, ['CMD ["nothing"]']);
  return 'berth-empty:latest';
}

async function shellFile(): Promise<string> {
  return join(await engineFolder('images'), `musl-${shellName}`);
}

/** Built from source, because Debian links nothing against musl; it is 250 kB. */
async function buildShell(staging: string): Promise<void> {
  await chmod(staging, 0o755);
  const archive = join(staging, 'source.tar.gz');
  const [mirror = 'http://deb.debian.org/debian/'] = debianMirror('bookworm');
  execFileSync('/usr/lib/apt/apt-helper', [
    '-o',
    'APT::Sandbox::User=root',
    'download-file',
    `${mirror}${sourceUrl}`,
    archive,
    sourceHash,
  ]);
  execFileSync('tar', ['--extract', '--file', archive, '--directory', staging]);
  const options = { cwd: join(staging, shellName), env: { ...environment, CC: compiler, LDFLAGS: '-s' } };
  execFileSync('sh', ['configure', '--quiet'], options);
  execFileSync('make', ['--silent'], options);
}

/** The program contains the path of its loader, which depends on the architecture. */
function loaderOf(program: string): string {
  const text = execFileSync('readelf', ['--program-headers', program], { encoding: 'utf8' });
  const [, path] = /interpreter: (\/[^\]]+)\]/.exec(text) ?? [];
  if (path === undefined) throw new Error(`${program} names no loader. Remove it, then run the command again.`);
  return path;
}
