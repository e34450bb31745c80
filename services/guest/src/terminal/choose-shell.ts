import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '../http/fault.ts';

const usualShells = ['/bin/zsh', '/bin/bash', '/bin/sh', '/bin/ash'];

/** The requested shell, otherwise that of the environment, otherwise the first that the image has. */
export function chooseShell(
  wanted: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const isThere = (program: string) => isProgram(program, environment.PATH ?? '');
  if (wanted) {
    if (isThere(wanted)) return wanted;
    throw new Fault(422, `There is no program ${wanted} to run as a shell. Leave out "shell" to get the image’s own.`);
  }
  const found = [environment.SHELL, ...usualShells].find((program) => program && isThere(program));
  if (found) return found;
  throw new Fault(422, `There is no shell in this image: none of $SHELL, ${usualShells.join(', ')}. Add one to it.`);
}

function isProgram(program: string, path: string): boolean {
  const places = program.includes('/') ? [program] : path.split(':').map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
