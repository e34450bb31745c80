// One role of the server in a process of its own, as an operator runs it: it can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '@berth/telemetry';

const program = resolve(import.meta.dirname, '../../../services/server/src/main.ts');
const START_TIMEOUT_SECONDS = 60;

export type ServerSettings = {
  role: string;
  env: Readonly<Record<string, string>>;
  /** Every line that it writes is kept here. */
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

  /** Resolves once the role says that it is ready. */
  async start(): Promise<void> {
    const { role, env, logFile, netns } = this.#settings;
    const command = [process.execPath, program, '--role', role];
    const [first = '', ...args] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
    const child = spawn(first, args, {
      env: { PATH: `${environment.PATH}:/usr/sbin:/sbin`, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const log = createWriteStream(logFile, { flags: 'a' });
    child.stderr.pipe(log, { end: false });
    const { promise: ready, resolve: isReady, reject } = Promise.withResolvers<void>();
    // Every line is read to the end: a full pipe would stop the server.
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      if (line.includes('"msg":"ready"')) isReady();
    });
    child.once('exit', (code, signal) => reject(new Error(`${role} ended (${code ?? signal}) before it was ready`)));
    const patience = new AbortController();
    const late = sleep(START_TIMEOUT_SECONDS * 1_000, undefined, { signal: patience.signal, ref: false }).then(
      () => Promise.reject(new Error(`${role} was not ready after ${START_TIMEOUT_SECONDS} s`)),
      () => {},
    );
    try {
      await Promise.race([ready, late]);
    } catch (error) {
      throw new Error(`${role} did not start. Its log ends with:\n${await this.logEnd()}`, { cause: error });
    } finally {
      patience.abort();
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
