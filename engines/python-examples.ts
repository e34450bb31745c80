// Python environments of the examples, one for each `requirements.txt`. They hold large frameworks, so only tests of the full size
// use them.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Installable } from './engine.ts';
import { engineFolder } from './folders.ts';
import { createPythonEnvironment } from './python.ts';

const examples = resolve(import.meta.dirname, '../examples');

const requirementsOf = (name: string): string => join(examples, name, 'requirements.txt');

async function folder(name: string): Promise<string> {
  const hash = createHash('sha256')
    .update(readFileSync(requirementsOf(name)))
    .digest('hex');
  return join(await engineFolder('python-examples'), `${name}-${hash.slice(0, 12)}`);
}

export const pythonExamples: Installable = {
  name: 'python-examples',
  async install() {
    const names = globSync(requirementsOf('*')).map((path) => basename(dirname(path)));
    for (const name of names)
      await createPythonEnvironment(await folder(name), ['--requirement', requirementsOf(name)]);
  },
};

/** The Python of the example's environment. */
export const exampleProgram = async (name: string): Promise<string> => join(await folder(name), 'bin', 'python');
