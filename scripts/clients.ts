// pnpm clients [--check]: writes the generated files of the clients from the contract, and the pages of docs/reference from the
// sources of the clients. With --check it writes nothing, and fails where a file is not what it would write, or where the TypeScript
// client needs more than a browser has.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { generatedFiles } from './clients/generated-files.ts';

const root = resolve(import.meta.dirname, '..');
const [flag, ...unknown] = process.argv.slice(2);
if ((flag !== undefined && flag !== '--check') || unknown.length > 0) {
  console.error(`"${unknown[0] ?? flag}" is not known. Usage: pnpm clients [--check]`);
  process.exit(2);
}

const textAt = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const old = Object.entries(generatedFiles()).filter(([path, text]) => textAt(resolve(root, path)) !== text);
if (flag === '--check') {
  for (const [path] of old) console.error(`${path} is not what its sources say. Run: pnpm clients`);
  const compiler = resolve(root, 'node_modules/typescript/bin/tsc');
  const types = spawnSync(process.execPath, [compiler, '--noEmit', '--project', 'clients/typescript'], {
    ...{ cwd: root, stdio: 'inherit' },
  });
  process.exitCode = old.length === 0 && types.status === 0 ? 0 : 1;
} else {
  for (const [path, text] of old) {
    mkdirSync(dirname(resolve(root, path)), { recursive: true });
    writeFileSync(resolve(root, path), text);
    console.log(path);
  }
}
