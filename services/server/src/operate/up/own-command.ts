import { programPath } from '@berth/release';
import type { ProgramOptions } from '../machine/run-program.ts';
import type { UpContext } from './up-context.ts';

/** Runs another command of this server as an operator would, and returns what it prints. */
export const ownCommand = (
  { run, places }: Pick<UpContext, 'run' | 'places'>,
  words: readonly string[],
  options?: ProgramOptions,
): Promise<string> =>
  run(process.execPath, [programPath('berth-server'), ...words, '--config', places.settings], options);
