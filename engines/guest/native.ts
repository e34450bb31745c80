// The two small programs in C. Linked statically against musl: they must run in images without a libc.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { requireDebianPackages } from '../debian-packages.ts';

const compiler = '/usr/bin/musl-gcc';
export const nativeFlags = ['-static', '-std=gnu11', '-Os', '-s', '-Wall', '-Wextra', '-Werror'];

export function compileNative(sources: string, target: string): void {
  requireDebianPackages('The compiler for the native helper', ['musl-tools', 'gcc'], [compiler]);
  compile(globSync(join(sources, 'init/*.c')).sort(), join(target, 'init'));
  const watch = join(sources, 'watch.c');
  if (existsSync(watch)) compile([watch], join(target, 'watch'));
}

function compile(files: readonly string[], program: string): void {
  const { status, stderr } = spawnSync(compiler, [...nativeFlags, '-o', program, ...files], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} could not be compiled:\n${stderr}`);
}
