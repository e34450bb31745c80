// One role of the server in its own process, as an operator runs it: it can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '@berth/telemetry';
import { compileCache } from '../folders.ts';
import { runEnvironment } from '../run.ts';

const program = resolve(import.meta.dirname, '../../services/server/src/main.ts');
const START_TIMEOUT_SECONDS = 60;

export type ServerSettings = {
  role: string;
  env: Readonly<Record<string, string>>;
  /** Receives all output of the process. */
  logFile: string;
  /** Network namespace to run in, as a path; the machine's own when left out. */
  netns?: string;
};

export class ServerProcess implements AsyncDisposable {
  readonly role: string;
  readonly #settings: ServerSettings;
  #child: ChildProcess | undefined;

  constructor(settings: ServerSettings) {
    this.role = settings.role;
    this.#settings = settings;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves once the role reports that it is ready. */
  async start(): Promise<void> {
    const { role, env, logFile, netns } = this.#settings;
    const command = [process.execPath, program, '--role', role];
    const [first = '', ...args] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
    // The process writes the file itself: reading a line for every request here would load the machine that is
    // measured.
    await using log = await open(logFile, 'a+');
    const { size } = await log.stat();
    const child = spawn(first, args, {
      env: { PATH: `${environment.PATH}:/usr/sbin:/sbin`, ...runEnvironment(), ...(await compileCache()), ...env },
      stdio: ['ignore', log.fd, log.fd],
    });
    this.#child = child;
    const deadline = Date.now() + START_TIMEOUT_SECONDS * 1_000;
    while (!(await saysReady(log, size))) {
      const isLate = Date.now() > deadline;
      if (this.isRunning && !isLate) await sleep(20);
      else
        throw new Error(
          `${role} ${isLate ? 'was not ready in time' : 'ended'}. Its log ends with:\n${await this.logEnd()}`,
        );
    }
  }

  /** SIGKILL: nothing is handed over. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async logEnd(): Promise<string> {
    return (await readFile(this.#settings.logFile, 'utf8').catch(() => '')).slice(-3_000);
  }

  /** First log lines that contain the text. */
  async linesWith(text: string, most = 5): Promise<string> {
    const lines = (await readFile(this.#settings.logFile, 'utf8')).split('\n');
    return lines
      .filter((line) => line.includes(text))
      .slice(0, most)
      .join('\n');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** True when the log contains the ready line after offset `from`. */
async function saysReady(log: FileHandle, from: number): Promise<boolean> {
  const { size } = await log.stat();
  const { buffer } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
  return buffer.includes('"msg":"ready"');
}
