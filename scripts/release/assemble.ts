// The folder of a release. The archive, the image and the installation of a runner are made from it.
import { execFileSync } from 'node:child_process';
import { chmod, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { goProgram } from '../../engines/go.ts';
import { librariesOf } from '../../engines/guest/node-program.ts';
import { assembleGuest, hostNode } from '../../engines/guest/runtime.ts';
import { installedRunsc } from '../../engines/gvisor.ts';
import { assembleServer } from '../../engines/server-bundle.ts';
import { root } from '../packages/programs.ts';
import { cycloneDx, licencesText } from './bill-of-materials.ts';
import { type Component, debianComponents, goComponents, nodeComponent, npmComponents } from './components.ts';
import { filesBelow } from './files-below.ts';
import { sha256Of } from './write-archive.ts';

const muslLibrary = '/usr/lib/x86_64-linux-musl/libc.a';
/** Follows links to its own folder, so that it also works from a folder of the PATH. */
const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
exec "$here/../node/bin/node" "$here/../server/berth-server.js" "$@"
`;

export interface Release {
  readonly name: string;
  readonly version: string;
  readonly builtAt: Date;
  readonly components: readonly Component[];
}

/** Writes the release into an empty folder on the disk of the engines. */
export async function assembleRelease(folder: string): Promise<Release> {
  const { version }: { version: string } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const builtAt = timeOfCommit();
  const runsc = await installedRunsc();
  if (runsc === undefined) throw new Error('gVisor is not built. Run: pnpm engines install gvisor');
  await mkdir(join(folder, 'guest'));
  const modules = [...(await assembleServer(folder)), ...(await assembleGuest(join(folder, 'guest'), builtAt))];
  await place(await hostNode(), join(folder, 'node/bin/node'));
  await place(runsc, join(folder, 'bin/runsc'));
  await writeFile(join(folder, 'bin/berth-server'), launcher);
  await chmod(join(folder, 'bin/berth-server'), 0o755);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const libraries = [loader(), ...librariesOf(process.execPath), muslLibrary];
  const components = [
    ...npmComponents(modules),
    ...[nodeComponent(process.execPath), ...debianComponents(libraries)],
    ...goComponents(runsc, await goProgram()),
  ];
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES'), licencesText(components));
  await writeFile(join(folder, 'sbom.cdx.json'), cycloneDx('berth', version, components));
  const about = { name: 'berth', version, platform: 'linux-x64', builtAt: builtAt.toISOString() };
  await writeFile(join(folder, 'release.json'), `${JSON.stringify(about, null, 1)}\n`);
  await writeFile(join(folder, 'files.sha256'), await listOfFiles(folder));
  return { name: `berth-${version}-linux-x64`, version, builtAt, components };
}

/** A release that was assembled before; its list of components is kept as it is. */
export async function describeRelease(folder: string): Promise<Release> {
  const { version, builtAt }: { version: string; builtAt: string } = JSON.parse(
    await readFile(join(folder, 'release.json'), 'utf8'),
  );
  await rm(join(folder, 'files.sha256'));
  await writeFile(join(folder, 'files.sha256'), await listOfFiles(folder));
  return { name: `berth-${version}-linux-x64`, version, builtAt: new Date(builtAt), components: [] };
}

/** Form of `sha256sum --check`. */
async function listOfFiles(folder: string): Promise<string> {
  const paths = await filesBelow(folder);
  const lines = await Promise.all(paths.map(async (path) => `${await sha256Of(join(folder, path))}  ${path}\n`));
  return lines.join('');
}

/** Hard links: these files are large, and nobody writes to them. */
async function place(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await link(from, to);
}

/** The same sources give the same bytes, whenever they are built. */
function timeOfCommit(): Date {
  const seconds = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return new Date(Number(seconds) * 1_000);
}

function loader(): string {
  const [, path] = /^\s*(\/\S*ld-linux\S*)/m.exec(execFileSync('ldd', [process.execPath], { encoding: 'utf8' })) ?? [];
  if (path === undefined) throw new Error('ldd does not name the loader of Node.js.');
  return path;
}
