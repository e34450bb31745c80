// Finds processes of the machine by their command line: an engine without a pid file, or a killed one, is found by a
// path that only its own processes name.
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

type Choice = (words: readonly string[]) => boolean;

export async function allProcesses(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

export async function processesWhere(choice: Choice): Promise<number[]> {
  const pids = await allProcesses();
  const chosen = await Promise.all(pids.map((pid) => processIs(pid, choice)));
  return pids.filter((_, index) => chosen[index]);
}

export type ProcessStat = { readonly state: string; readonly parent: number; readonly startTicks: number };

/** Kernel statistics of a process; undefined when it does not exist. */
export function statOf(pid: number): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Fields after the program name, which may contain spaces and parentheses. The start time is field 22, the state
    // field 3.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', parent: Number(fields[1]), startTicks: Number(fields[19]) };
  } catch {
    return undefined;
  }
}

/** Variable in the environment that the process was started with. */
export async function variableOf(pid: number, name: string): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
  return text
    .split('\0')
    .find((line) => line.startsWith(`${name}=`))
    ?.slice(name.length + 1);
}

/** False for a process that has ended, including a zombie. */
async function processIs(pid: number, choice: Choice): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine !== '' && choice(commandLine.split('\0'));
}

/** Sends the signal and waits until all of the processes have ended. */
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

export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended in the meantime.
  }
}
