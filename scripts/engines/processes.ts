// The machine's processes by what they were started with: an engine that keeps no pid file, or was killed, is found by a
// path that only its own processes name.
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

type Choice = (words: readonly string[]) => boolean;

export async function processesWhere(choice: Choice): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const chosen = await Promise.all(pids.map((pid) => processIs(pid, choice)));
  return pids.filter((_, index) => chosen[index]);
}

/** False for a process that has ended, also while its parent has not yet asked for its exit code. */
async function processIs(pid: number, choice: Choice): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine !== '' && choice(commandLine.split('\0'));
}

/** Sends the signal and waits until none of them runs. */
export async function endProcesses(pids: readonly number[], signal: NodeJS.Signals, timeoutSeconds: number) {
  for (const pid of pids) send(pid, signal);
  const deadline = Date.now() + timeoutSeconds * 1_000;
  for (const pid of pids) {
    while (await processIs(pid, () => true)) {
      if (Date.now() > deadline) throw new Error(`Process ${pid} did not end within ${timeoutSeconds} s of ${signal}.`);
      await sleep(10);
    }
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in the meantime.
  }
}
