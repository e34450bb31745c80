import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Runs a program of the operating system to its end and returns what it printed; throws with what it complained about. */
export type RunCommand = (program: string, args: readonly string[], input?: string) => Promise<string>;

/** In the network namespace of this process. */
export const runCommand: RunCommand = async (program, args, input = '') => {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  // It may end before it has read everything; its exit code says so.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]).catch(
    (error) => {
      throw new Error(`${program} cannot be run. Install nftables, iproute2 and procps.`, { cause: error });
    },
  );
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${complaint.trim()}`);
  return output;
};
