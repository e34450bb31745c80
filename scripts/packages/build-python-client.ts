import { copyFile, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { python, pythonProgram } from '../../engines/python.ts';
import { lastLine, root, run } from './programs.ts';

/** The interface of every build backend of Python. */
const buildWheel = 'import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))';

/** Built in a copy, which holds the licence and nothing that Python has compiled. */
export async function buildPythonClient(staged: string, out: string): Promise<string> {
  await python.install();
  const source = join(root, 'clients/python');
  const filter = (path: string): boolean => !path.endsWith('__pycache__');
  for (const part of ['pyproject.toml', 'README.md', 'src'])
    await cp(join(source, part), join(staged, part), { recursive: true, filter });
  await copyFile(join(root, 'LICENSE'), join(staged, 'LICENSE'));
  return lastLine(run(await pythonProgram('python'), ['-c', buildWheel, out], staged));
}
