// Ends a process that a bench has started, and waits until it is gone.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
