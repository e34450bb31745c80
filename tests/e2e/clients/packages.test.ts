// Builds the packages once, and installs each as users do: into an empty project, or a new Python environment. No network is used
// after the build.
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { operations } from 'berth-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../../engines/free-port.ts';
import { pythonProgram, pythonWheels } from '../../../engines/python.ts';
import { isFull } from '../../harness/size.ts';

const root = resolve(import.meta.dirname, '../../..');
const programs = join(import.meta.dirname, 'packages');
const maxSdkBytes = 80_000;
const cpuRounds = 5;

let folder: string;
let version: string;
let files: string[];

/** A home of its own: nothing that this machine has cached or configured takes part. */
const environment = () => ({ HOME: folder, PATH: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin` });

const run = async (
  program: string,
  args: readonly string[],
  cwd = folder,
  more: Readonly<Record<string, string>> = {},
) => (await promisify(execFile)(program, args, { cwd, env: { ...environment(), ...more } })).stdout;

/** User and system time together. The clock would count other programs too. */
async function cpuSeconds(...command: string[]): Promise<number> {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" > /dev/null';
  const { stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...command], { env: environment() });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return user + system;
}

/** Medians of commands that ran in turn. */
async function cpuSecondsOfEach(...commands: string[][]): Promise<number[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < cpuRounds; round += 1) {
    const seconds: number[] = [];
    for (const command of commands) seconds.push(await cpuSeconds(...command));
    rounds.push(seconds);
  }
  const sorted = commands.map((_, at) =>
    rounds.map((seconds) => seconds[at] ?? Number.NaN).toSorted((one, other) => one - other),
  );
  return sorted.map((seconds) => seconds[(cpuRounds - 1) / 2] ?? Number.NaN);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-packages-'));
  version = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version;
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/packages.ts', '--out', folder], {
    cwd: root,
  });
  files = stdout.trimEnd().split('\n');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const fileOf = (name: string): string => join(folder, name);

/** Installs a package where nothing else is. Answers with the folder of the project. */
async function emptyProject(name: string, tarball: string): Promise<string> {
  const project = join(folder, name);
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{"private": true, "type": "module"}\n');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', fileOf(tarball)], project);
  expect(globSync('*', { cwd: join(project, 'node_modules') })).toEqual([name]);
  return project;
}

const packedFiles = async (tarball: string): Promise<string[]> =>
  (await run('tar', ['--list', '--file', fileOf(tarball)])).trimEnd().split('\n').toSorted();

/** Names between braces, as TypeScript writes what an entry exports. */
const namesIn = (source: string): string[] =>
  [...source.matchAll(/(?<=[{,] )(?:type )?(?:\w+ as )?(\w+)(?=,| \})/g)].flatMap(([, name]) => name ?? []);

const namesWithout = (names: readonly string[], program: string): string[] =>
  names.filter((name) => !new RegExp(`\\b${name}\\b`).test(program));

test.skipIf(!isFull)('the build makes three packages with the version of the repository', () => {
  const names = [`berth-sdk-${version}.tgz`, `berth-cli-${version}.tgz`, `berth_sdk-${version}-py3-none-any.whl`];
  expect(files).toEqual(names.map(fileOf));
});

describe.skipIf(!isFull)('the TypeScript client', () => {
  let project: string;
  const tarball = () => `berth-sdk-${version}.tgz`;
  beforeAll(async () => {
    project = await emptyProject('berth-sdk', tarball());
    await copyFile(join(programs, 'program.ts'), join(project, 'program.ts'));
  });

  test('holds the built modules alone, in at most 80 kB, and depends on nothing', async () => {
    const modules = globSync('**/*.ts', { cwd: join(root, 'clients/typescript/src') })
      .filter((path) => !path.endsWith('.test.ts'))
      .flatMap((path) => ['.js', '.d.ts'].map((end) => `dist/${path.replace(/\.ts$/, end)}`));
    expect(modules.length).toBeGreaterThan(40);
    const wanted = [...modules, 'LICENSE', 'README.md', 'package.json'].map((path) => `package/${path}`);
    expect(await packedFiles(tarball())).toEqual(wanted.toSorted());
    const { size } = await stat(fileOf(tarball()));
    expect(size).toBeLessThanOrEqual(maxSdkBytes);
    const manifest = JSON.parse(await readFile(join(project, 'node_modules/berth-sdk/package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'berth-sdk', version });
    expect(Object.keys(manifest).filter((key) => /dependencies|publishConfig|scripts/i.test(key))).toEqual([]);
    console.log(`berth-sdk: ${size} bytes`);
  });

  test('the program of this test names every export', async () => {
    const program = await readFile(join(programs, 'program.ts'), 'utf8');
    const names = namesIn(await readFile(join(project, 'node_modules/berth-sdk/dist/index.d.ts'), 'utf8'));
    expect(names).toEqual(
      expect.arrayContaining(['AccessError', 'BerthOptions', 'ExitError', 'RunOptions', 'SandboxHandle']),
    );
    expect(namesWithout(names, program)).toEqual([]);
  });

  test('a checker of packages finds no fault but that it has ECMAScript modules alone', async () => {
    const checker = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js');
    const words = [fileOf(tarball()), '--profile', 'esm-only', '--format', 'json'];
    const { analysis } = JSON.parse(await run(process.execPath, [checker, ...words]));
    expect(analysis).toMatchObject({ packageName: 'berth-sdk', packageVersion: version, types: { kind: 'included' } });
    const found = analysis.problems.map((problem: { resolutionKind: string }) => problem.resolutionKind);
    // Of each entry: the client, and what it has for frameworks.
    expect([...new Set(found)].toSorted()).toEqual(['node10', 'node16-cjs']);
  });

  const strict = { target: 'es2023', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  test.each([
    // A server has the types of Node alone, a page those of browsers.
    { module: 'node16', lib: ['esnext'], types: ['node'] },
    { module: 'esnext', moduleResolution: 'bundler', lib: ['esnext', 'dom', 'dom.asynciterable'], types: [] },
  ])('its types hold strictly with module $module, and the program runs in Node', async (options) => {
    const outDir = join(project, options.module);
    const typeRoots = [join(root, 'node_modules/@types')];
    const compilerOptions = { ...strict, ...options, typeRoots, skipLibCheck: false, rootDir: project, outDir };
    const config = join(project, `tsconfig.${options.module}.json`);
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', config], project);
    const address = { BERTH_URL: `http://127.0.0.1:${await freePort()}` };
    expect(JSON.parse(await run(process.execPath, [join(outDir, 'program.js')], project, address))).toEqual({
      operations: Object.keys(operations).length,
      reason: 'ConnectionError',
      isBerthError: true,
    });
  });
});

describe.skipIf(!isFull)('the command line', () => {
  let berth: string;
  const tarball = () => `berth-cli-${version}.tgz`;
  beforeAll(async () => {
    berth = join(await emptyProject('berth-cli', tarball()), 'node_modules/.bin/berth');
  });

  test('is one file with the licences of what it holds', async () => {
    const wanted = ['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES', 'dist/berth.js', 'package.json'];
    expect(await packedFiles(tarball())).toEqual(wanted.map((path) => `package/${path}`).toSorted());
    const installed = join(folder, 'berth-cli/node_modules/berth-cli');
    const licences = await readFile(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8');
    expect(licences).toMatch(/^yaml \d\S+ \(ISC\)\n\nCopyright Eemeli Aro/m);
    expect(licences).toMatch(/^modern-tar \d\S+ \(MIT\)\n\nMIT License/m);
    expect(licences).toContain('this permission notice appear in all copies');
    expect(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))).toMatchObject({
      name: 'berth-cli',
      version,
    });
  });

  test('tells its version and its commands, and reads YAML', async () => {
    expect(await run(berth, ['--version'])).toBe(`${version}\n`);
    const help = await run(berth, ['--help']);
    expect(help).toBe(await run(process.execPath, [join(root, 'clients/cli/src/main.ts'), '--help']));
    expect(help).toContain('berth <command> [options]');
    await writeFile(fileOf('broken.yaml'), 'kind: [');
    const address = { BERTH_URL: `http://127.0.0.1:${await freePort()}` };
    await expect(run(berth, ['apply', '-f', fileOf('broken.yaml')], folder, address)).rejects.toMatchObject({
      code: 2,
    });
  });

  test('starts in at most three times the CPU time of Node, and half of that of its sources', async () => {
    const sources = join(root, 'clients/cli/src/main.ts');
    const [bare = 0, shownVersion, help, ofSources = 0] = await cpuSecondsOfEach(
      [process.execPath, '-e', '0'],
      [berth, '--version'],
      [berth, '--help'],
      [process.execPath, sources, '--version'],
    );
    console.log(
      `CPU seconds: node ${bare}, berth --version ${shownVersion}, --help ${help}, from sources ${ofSources}`,
    );
    expect(bare).toBeGreaterThan(0);
    for (const seconds of [shownVersion, help]) {
      expect(seconds).toBeLessThanOrEqual(3 * bare);
      expect(seconds).toBeLessThanOrEqual(ofSources / 2);
    }
  });
});

describe.skipIf(!isFull)('the Python client', () => {
  let project: string;
  let python: string;
  const wheel = () => fileOf(`berth_sdk-${version}-py3-none-any.whl`);
  beforeAll(async () => {
    project = join(folder, 'python');
    python = join(project, 'venv/bin/python');
    await mkdir(project);
    await run(await pythonProgram('python'), ['-m', 'venv', '--without-pip', join(project, 'venv')]);
    const found = ['--no-index', '--find-links', await pythonWheels()];
    await run(await pythonProgram('pip'), ['--python', python, 'install', '--quiet', ...found, wheel()]);
    await copyFile(join(programs, 'program.py'), join(project, 'program.py'));
  });

  test('holds the modules alone, and depends on httpx and websockets', async () => {
    const modules = globSync('berth_sdk/**/{*.py,py.typed}', { cwd: join(root, 'clients/python/src') });
    expect(modules.length).toBeGreaterThan(25);
    const about = ['METADATA', 'RECORD', 'WHEEL', 'licenses/LICENSE'].map(
      (name) => `berth_sdk-${version}.dist-info/${name}`,
    );
    const list = 'import json, sys, zipfile; print(json.dumps(zipfile.ZipFile(sys.argv[1]).namelist()))';
    expect(JSON.parse(await run(python, ['-c', list, wheel()])).toSorted()).toEqual([...modules, ...about].toSorted());
    const requires =
      'import importlib.metadata as m, json; print(json.dumps([m.version("berth-sdk"), m.requires("berth-sdk")]))';
    const dependencies = [expect.stringMatching(/^httpx\b[^;]*$/), expect.stringMatching(/^websockets\b[^;]*$/)];
    const [installed, all]: [string, string[]] = JSON.parse(await run(python, ['-c', requires]));
    expect([installed, all.filter((line) => !line.includes('extra'))]).toEqual([version, dependencies]);
    expect(all.filter((line) => line.includes('extra'))).toEqual([expect.stringMatching(/^deepagents\b/)]);
  });

  test('its types hold strictly for a program that names every export, and the program runs', async () => {
    const program = await readFile(join(project, 'program.py'), 'utf8');
    const list = 'import berth_sdk, json; print(json.dumps(berth_sdk.__all__))';
    const names: string[] = JSON.parse(await run(python, ['-c', list], project));
    expect(names).toEqual(expect.arrayContaining(['AsyncBerth', 'ExitError', 'guest']));
    expect(namesWithout(names, program)).toEqual([]);
    const settings = {
      include: ['program.py'],
      typeCheckingMode: 'strict',
      reportUnnecessaryTypeIgnoreComment: 'error',
    };
    await writeFile(join(project, 'pyrightconfig.json'), JSON.stringify(settings));
    expect(await run(await pythonProgram('pyright'), ['--pythonpath', python], project)).toContain(
      '0 errors, 0 warnings',
    );
    const address = { BERTH_URL: `http://127.0.0.1:${await freePort()}` };
    const told = JSON.parse(await run(python, ['program.py'], project, address));
    expect(told).toEqual({ reason: 'ConnectionFailedError', families: 11 });
  });

  test('is imported in 0.4 s of CPU time beyond its dependencies', async () => {
    const imports = ['import httpx, websockets', 'import berth_sdk'].map((line) => [python, '-c', line]);
    const [bare = 0, whole = Number.NaN] = await cpuSecondsOfEach(...imports);
    console.log(`CPU seconds: dependencies ${bare}, berth_sdk ${whole}`);
    expect(bare).toBeGreaterThan(0);
    expect(whole).toBeLessThanOrEqual(bare + 0.4);
  });
});
