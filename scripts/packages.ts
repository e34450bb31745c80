// pnpm packages [--out <folder>]: builds what users install: npm packages of the TypeScript client and of the command line, and the
// wheel of the Python client. Prints the files.
import { mkdir, mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildCommandLine } from './packages/build-command-line.ts';
import { buildPythonClient } from './packages/build-python-client.ts';
import { buildTypescriptClient } from './packages/build-typescript-client.ts';
import { root } from './packages/programs.ts';

const [flag = '--out', folder = join(root, 'dist/packages'), ...unknown] = process.argv.slice(2);
if (flag !== '--out' || unknown.length > 0) {
  console.error(`"${unknown[0] ?? flag}" is not known. Usage: pnpm packages [--out <folder>]`);
  process.exit(2);
}

const out = resolve(folder);
await mkdir(out, { recursive: true });
for (const build of [buildTypescriptClient, buildCommandLine, buildPythonClient]) {
  await using staged = await mkdtempDisposable(join(tmpdir(), 'berth-package-'));
  console.log(join(out, await build(staged.path, out)));
}
