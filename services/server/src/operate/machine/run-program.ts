import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { environment } from '@berth/telemetry';

export interface ProgramOptions {
  /** Standard input: secrets go here or into files, never into arguments, which every account of the machine reads. */
  readonly input?: string;
  readonly timeoutSeconds?: number;
}

/** Runs a program to its end and returns its standard output; throws with what it wrote to standard error. */
export type RunProgram = (program: string, args: readonly string[], options?: ProgramOptions) => Promise<string>;

const shownCharacters = 1_500;

export const runProgram: RunProgram = async (program, args, { input, timeoutSeconds = 600 } = {}) => {
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    // Nothing else: variables of the shell must neither change what compose writes nor reach our own commands.
    env: { PATH: environment.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', HOME: environment.HOME ?? '/root', LC_ALL: 'C' },
    timeout: timeoutSeconds * 1_000,
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  child.stdin.on('error', () => {}).end(input);
  const [code, output, complaint] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code === 0) return output;
  const how = code === null ? `did not end within ${timeoutSeconds} s` : `ended with ${code}`;
  const said = complaint.trim() === '' ? output : complaint;
  throw new Error(`${[program, ...args].join(' ')} ${how}: ${said.trim().slice(-shownCharacters)}`);
};
