// Programs that the builds call, and the repository.
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** The output of a program. Its messages go to the error stream. */
export const run = (program: string, args: readonly string[], cwd: string): string =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** The last line of an output, in which a packer names its file. */
export const lastLine = (output: string): string => output.trimEnd().split('\n').at(-1) ?? '';
