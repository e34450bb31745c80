import { getSystemErrorMap } from 'node:util';
import { Fault } from '../../http/fault.ts';
import type { SpawnFailure } from '../../supervisor/supervisor.ts';

type Attempted = { command: string; workingDirectory: string; shell: string };

const maxShownCharacters = 500;

/** 422: the request is clear, but cannot be carried out here. */
export function startFault(failure: SpawnFailure, attempted: Attempted): Fault {
  return new Fault(422, startFailureText(failure, attempted));
}

export function startFailureText(failure: SpawnFailure, { command, workingDirectory, shell }: Attempted): string {
  const shown = command.length > maxShownCharacters ? `${command.slice(0, maxShownCharacters)}…` : command;
  return `could not execute command '${shown}': ${reason(failure, workingDirectory, shell)}`;
}

function reason({ stage, errno }: SpawnFailure, folder: string, shell: string): string {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [`error ${errno}`, 'unknown error'];
  switch (stage) {
    case 'folder':
      if (code === 'ENOENT') return `the folder '${folder}' does not exist. Create it, or give another workingDir.`;
      if (code === 'ENOTDIR') return `'${folder}' is not a folder. Give another workingDir.`;
      return `the folder '${folder}' cannot be entered (${text}). Give another workingDir.`;
    case 'program':
      if (code === 'ENOENT') {
        return `there is no shell '${shell}' in this image. Use an image that has one, or name another in SHELL.`;
      }
      if (code === 'E2BIG') return 'the command and its environment are too long. Put the larger part into a file.';
      return `the shell '${shell}' cannot be executed (${text}). Use an image with another, or name one in SHELL.`;
    case 'log':
      return `there is no place for its output (${text}). Delete files, then try again.`;
    case 'fork':
      return `no process could be made (${text}). End some that run, then try again.`;
  }
}
