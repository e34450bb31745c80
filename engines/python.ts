// A Python environment with what the Python client needs, the type checker for it, and what builds its wheel.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';

const dependencies = ['httpx==0.28.1', 'websockets==17.4'];
const tools = ['pyright==1.1.414', 'hatchling==1.33.0'];
const revision = '2';
const complete = 'complete';

const folder = async (): Promise<string> => join(await engineFolder('python'), revision);

export const python: Installable = {
  name: 'python',
  async install() {
    const target = await folder();
    await createPythonEnvironment(target, [...dependencies, ...tools], async () => {
      // Tests install the client into an environment of its own, without the network.
      const wheels = ['--only-binary', ':all:', '--dest', await pythonWheels()];
      run(join(target, 'bin', 'pip'), 'download', '--quiet', ...wheels, ...dependencies);
      // Fetches the checker itself, so that a test does not wait for it.
      run(join(target, 'bin', 'pyright'), '--version');
    });
  },
};

/** Folder with the wheels of everything that the client depends on. */
export const pythonWheels = async (): Promise<string> => join(await folder(), 'wheels');

/** Does nothing where the environment is there. `words` are arguments of `pip install`. */
export async function createPythonEnvironment(
  target: string,
  words: readonly string[],
  finish: () => Promise<void> = async () => {},
): Promise<void> {
  if (existsSync(join(target, complete))) return;
  requireDebianPackages('Python', ['python3', 'python3-venv'], ['/usr/bin/python3', '/usr/lib/python3.11/venv']);
  // The programs of an environment name its path, so it is made at its place. What an interrupted one left is removed.
  await rm(target, { recursive: true, force: true });
  run('/usr/bin/python3', '-m', 'venv', target);
  run(join(target, 'bin', 'pip'), 'install', '--quiet', ...words);
  await finish();
  await writeFile(join(target, complete), '');
}

/** Program of the environment, for example `python` or `pyright`. */
export const pythonProgram = async (name: string): Promise<string> => join(await folder(), 'bin', name);

const run = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
