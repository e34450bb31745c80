// A small tree with the repository's own configuration and scripts, in which a test may break rules.
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { environment } from '@berth/telemetry';
import { runEnvironment } from '../../engines/run.ts';

const repository = resolve(import.meta.dirname, '../..');
const configuration = ['.biome', '.dependency-cruiser.mjs', '.gitignore', 'biome.json', 'knip.jsonc', 'tsconfig.json'];
const installed = ['@types', 'vitest', 'zod', 'typescript', '@biomejs', 'knip', 'dependency-cruiser'];

export type PlantedTree = {
  write(files: Readonly<Record<string, string>>): void;
  /** Runs a script of the repository's package.json in this tree. */
  run(script: string, ...extra: string[]): Promise<{ exitCode: number; output: string }>;
  remove(): void;
};

export function plantTree(packages: readonly string[]): PlantedTree {
  const folder = mkdtempSync(join(tmpdir(), 'berth-checks-'));
  const write: PlantedTree['write'] = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  for (const name of configuration) cpSync(join(repository, name), join(folder, name), { recursive: true });
  mkdirSync(join(folder, 'node_modules/@berth'), { recursive: true });
  for (const name of installed) symlinkSync(join(repository, 'node_modules', name), join(folder, 'node_modules', name));
  write(emptyPackages(packages));
  for (const path of packages) symlinkSync(join(folder, path), join(folder, 'node_modules', nameOf(path)));
  return {
    write,
    run: (script, ...extra) => run(folder, script, extra),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

function nameOf(path: string): string {
  return `@berth/${path.split('/').at(-1)}`;
}

function emptyPackages(packages: readonly string[]): Record<string, string> {
  const files = packages.flatMap((path) => [
    [`${path}/package.json`, json({ name: nameOf(path), type: 'module', exports: { '.': './src/index.ts' } })],
    [`${path}/src/index.ts`, 'export const here = 1;\n'],
  ]);
  return {
    'package.json': json({ name: 'planted', private: true, type: 'module', devDependencies: { vitest: '5' } }),
    'pnpm-workspace.yaml': 'packages:\n  - packages/*\n  - services/*\n',
    'clients/typescript/src/index.ts': 'export const here = 1;\n',
    'engines/start.ts': "export const start = () => console.log('start');\n",
    'scripts/start.ts': "import { start } from '../engines/start.ts';\n\nstart();\n",
    'tests/conformance/run.ts': "console.log('run');\n",
    'bench/run.test.ts': "import { test } from 'vitest';\n\ntest('nothing', () => {});\n",
    ...Object.fromEntries(files),
  };
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function run(folder: string, script: string, extra: readonly string[]): Promise<{ exitCode: number; output: string }> {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const [program = '', ...args] = String(scripts[script]).split(' ');
  return new Promise((done, reject) => {
    const child = spawn(join(repository, 'node_modules/.bin', program), [...args, ...extra], {
      cwd: folder,
      env: { PATH: environment.PATH, NO_COLOR: '1', ...runEnvironment() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.on('error', reject);
    child.on('close', (code) => done({ exitCode: code ?? 1, output }));
  });
}
