// Software of others in a release, with its licences: packages of npm in the bundles, Node.js with the libraries of the machine that it
// is linked to, gVisor with its modules, and the C library inside the native helper.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { licenceIn, packageFolders } from '../packages/licence-files.ts';

export interface Component {
  readonly name: string;
  readonly version: string;
  /** Identifier of SPDX; undefined where only the text says which licence it is. */
  readonly licence: string | undefined;
  /** Address of the package by the rules of package-url. */
  readonly purl: string;
  readonly licenceText: string;
}

const Package = z.looseObject({
  name: z.string(),
  version: z.string(),
  license: z.string().optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
  author: z.union([z.string(), z.object({ name: z.string() })]).optional(),
});

/** Takes the paths of all modules of the bundles. */
export function npmComponents(modules: readonly string[]): Component[] {
  const found = packageFolders(modules).map((folder) => {
    const { name, version, license, licenses, author } = Package.parse(
      JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    );
    const licence = license ?? licenses?.[0]?.type;
    const writer = typeof author === 'object' ? author.name : author;
    const without = `Its package holds no text of its licence: ${licence}, by ${writer ?? 'unnamed authors'}.\n`;
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { name, version, licence, purl, licenceText: licenceIn(folder) ?? without };
  });
  // A version may lie in several folders.
  return [...new Map(found.map((component) => [component.purl, component])).values()];
}

/** The folder that holds `bin/node`. */
export function nodeComponent(program: string): Component {
  const folder = dirname(dirname(program));
  const licenceText = licenceIn(folder);
  if (licenceText === undefined)
    throw new Error(`${folder} holds no LICENSE. Build with an official archive of Node.js, as .ci/toolchain has one.`);
  const version = process.version.slice(1);
  return { name: 'node', version, licence: 'MIT', purl: `pkg:generic/node@${version}`, licenceText };
}

/** A program that Go has built names its modules. Their texts come from Go's cache of modules. */
export function goComponents(program: string, go: string): Component[] {
  const lines = execFileSync(go, ['version', '-m', program], { encoding: 'utf8' });
  const [, compiler = ''] = /: go(\S+)/.exec(lines) ?? [];
  const modules = [...lines.matchAll(/^\t(?:mod|dep)\t(\S+)\t(\S+)/gm)].map(([, name = '', version = '']) => ({
    name,
    version,
  }));
  const places = goFolders(go, modules);
  const components = modules.map(({ name, version }) => {
    const licenceText = licenceIn(places.get(`${name}@${version}`) ?? '');
    if (licenceText === undefined) throw new Error(`The module ${name} ${version} holds no text of its licence.`);
    return { name, version, licence: undefined, purl: `pkg:golang/${name}@${version}`, licenceText };
  });
  const root = execFileSync(go, ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  const licenceText = licenceIn(root) ?? 'Copyright The Go Authors, BSD-3-Clause: https://go.dev/LICENSE\n';
  const standard = { name: 'go standard library', version: compiler, licence: 'BSD-3-Clause' };
  return [...components, { ...standard, purl: `pkg:golang/stdlib@${compiler}`, licenceText }];
}

function goFolders(go: string, modules: readonly { name: string; version: string }[]): Map<string, string> {
  const words = modules.map(({ name, version }) => `${name}@${version}`);
  const output = execFileSync(go, ['mod', 'download', '-json', ...words], { encoding: 'utf8', cwd: '/' });
  const Downloaded = z.looseObject({ Path: z.string(), Version: z.string(), Dir: z.string() });
  return new Map(
    output
      .split(/^(?=\{)/m)
      .filter((text) => text.trim() !== '')
      .map((text) => Downloaded.parse(JSON.parse(text)))
      .map(({ Path, Version, Dir }) => [`${Path}@${Version}`, Dir]),
  );
}

/** Packages of Debian that hold these files. */
export function debianComponents(files: readonly string[]): Component[] {
  const names = new Set(files.map(debianPackageOf));
  return [...names].map((name) => {
    const [, version = ''] = execFileSync('dpkg-query', ['--show', name], { encoding: 'utf8' }).trim().split('\t');
    const [plain = name] = name.split(':');
    const licenceText = readFileSync(`/usr/share/doc/${plain}/copyright`, 'utf8');
    return { name: plain, version, licence: undefined, purl: `pkg:deb/debian/${plain}@${version}`, licenceText };
  });
}

function debianPackageOf(file: string): string {
  // /lib is a link to /usr/lib, and packages list their files below either.
  const places = [file, file.replace(/^\/usr/, ''), `/usr${file}`].filter((path) => existsSync(path));
  for (const path of places) {
    try {
      const output = execFileSync('dpkg-query', ['-S', path], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [, name] = /^(\S+): /m.exec(output) ?? [];
      if (name !== undefined) return name;
    } catch {
      // Not under this name.
    }
  }
  throw new Error(`${basename(file)} belongs to no package of Debian, so its licence is not known.`);
}
