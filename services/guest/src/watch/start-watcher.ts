import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { Settings } from '../settings.ts';

export type Watcher = {
  output: Readable;
  /** Reason for the end, when the program did not report it on its output. */
  ended: Promise<string>;
  end(): void;
};

/** Starts the native program beside the guest. It waits for a slow reader; events then wait in the kernel's queue. */
export function startWatcher({ runtimeFolder }: Settings, folder: string, recursive: boolean): Watcher {
  const args = [...(recursive ? ['--recursive'] : []), folder];
  const child = spawn(`${runtimeFolder}/watch`, args, { cwd: '/', env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, 1_000);
  });
  const ended = once(child, 'close').then(
    ([code, signal]) => complaint.trim() || `it ended with ${signal ?? code}`,
    (error: Error) => error.message,
  );
  return { output: child.stdout, ended, end: () => void child.kill('SIGKILL') };
}
