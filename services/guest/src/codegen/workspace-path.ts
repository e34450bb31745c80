import { isAbsolute, join, relative, resolve } from 'node:path';
import { Fault } from '../http/fault.ts';
import type { Settings } from '../settings.ts';

/** Resolves a path for a tool that works on the project. Refuses every path outside the working directory. */
export function workspacePath(given: string, { workingDirectory }: Pick<Settings, 'workingDirectory'>): string {
  const root = resolve('/', workingDirectory);
  const path = isAbsolute(given) ? resolve(given) : join(root, given);
  const inside = relative(root, path);
  if (inside === '..' || inside.startsWith('../') || path.includes('\0')) {
    throw new Fault(400, `${given} is outside of the working directory ${root}. Name a folder inside it.`);
  }
  return path;
}
