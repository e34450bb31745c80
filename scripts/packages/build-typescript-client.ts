import { join } from 'node:path';
import { pack } from './pack.ts';
import { root, run } from './programs.ts';

/** TypeScript has no programming interface in version 7, and its command is enough. Tests are not built: the project leaves them out. */
export function buildTypescriptClient(staged: string, out: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const emitted = ['--noEmit', 'false', '--declaration', '--rewriteRelativeImportExtensions'];
  const places = ['--rootDir', 'clients/typescript/src', '--outDir', join(staged, 'dist')];
  run(process.execPath, [compiler, '--project', 'clients/typescript', ...emitted, ...places], root);
  return pack('typescript', staged, out);
}
