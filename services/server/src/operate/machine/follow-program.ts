import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { environment } from '@berth/telemetry';

export interface ProgramEnd {
  /** Null when a signal ended it. */
  readonly code: number | null;
  /** What it wrote to standard error. */
  readonly complaint: string;
}

/** Runs a program to its end, and passes on each line of its standard output at once. */
export async function followProgram(
  program: string,
  args: readonly string[],
  print: (line: string) => void,
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: environment.PATH ?? '/usr/sbin:/usr/bin:/sbin:/bin', HOME: environment.HOME ?? '/root', LC_ALL: 'C' },
  });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  createInterface({ input: child.stdout }).on('line', print);
  const [code, complaint] = await Promise.all([ended, text(child.stderr)]);
  return { code, complaint: complaint.trim() };
}
