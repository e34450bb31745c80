// The server's program in its own process, as an operator runs it: roles that can be killed and started again, or one
// command that ends by itself.
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '@berth/telemetry';
import { compileCache } from './folders.ts';
import { runEnvironment } from './run.ts';

/** Names the program to run. Left out, it is that of the sources. */
export const serverVariable = 'BERTH_TEST_SERVER';
const sources = resolve(import.meta.dirname, '../services/server/src/main.ts');
const defaultStartTimeoutSeconds = 120;
const maxLogEndCharacters = 3_000;

type Env = Readonly<Record<string, string>>;

export type ServerOptions = {
  /** Names of the roles, separated by commas. */
  roles: string;
  env: Env;
  /** File of settings. */
  config?: string;
  /** A file that receives all output, or a function that receives each line of the log. */
  log: string | ((line: string) => void);
  /** Network namespace to run in, as a path; the machine's own when left out. */
  netns?: string;
  startTimeoutSeconds?: number;
};

export type StartedRole = { readonly role: string; readonly address: string | undefined; readonly health: string };

export class ServerProcess implements AsyncDisposable {
  readonly roles: string;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #exit: Promise<number> | undefined;
  #started: StartedRole[] = [];
  #linesBeforeReady: string[] = [];

  constructor(options: ServerOptions) {
    this.roles = options.roles;
    this.#options = options;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Roles in the order of their start. Empty when the log is a file. */
  get started(): readonly StartedRole[] {
    return this.#started;
  }

  /** Address of the first role that listens. Throws when the log is a file. */
  get address(): string {
    const address = this.#started.find((role) => role.address !== undefined)?.address;
    if (address === undefined) throw new Error(`No address of ${this.roles} was logged.`);
    return address;
  }

  /** Exit code of the process, once it has ended; 1 when a signal ended it. */
  get exited(): Promise<number> {
    if (this.#exit === undefined) throw new Error(`${this.roles} was not started.`);
    return this.#exit;
  }

  /** Resolves once all roles are ready. */
  async start(): Promise<void> {
    const { startTimeoutSeconds = defaultStartTimeoutSeconds } = this.#options;
    await using output = await this.#spawn();
    const deadline = Date.now() + startTimeoutSeconds * 1_000;
    while (!(await output.isReady())) {
      const isLate = Date.now() > deadline;
      if (this.isRunning && !isLate) await sleep(20);
      else
        throw new Error(
          `${this.roles} ${isLate ? 'was not ready in time' : 'ended'}. Its log ends with:\n${await this.logEnd()}`,
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

  /** When the log is no file: the end of what was logged before the roles were ready. */
  async logEnd(): Promise<string> {
    return (await this.#readLog().catch(() => '')).slice(-maxLogEndCharacters);
  }

  /** First log lines that contain the text. */
  async linesWith(text: string, max = 5): Promise<string> {
    const lines = (await this.#readLog()).split('\n');
    return lines
      .filter((line) => line.includes(text))
      .slice(0, max)
      .join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #spawn(): Promise<Output> {
    const { log } = this.#options;
    return typeof log === 'string' ? this.#spawnWithFile(log) : this.#spawnWithLines(log);
  }

  /** The process writes the file itself: reading a line for every request here would load the machine that is measured. */
  async #spawnWithFile(path: string): Promise<Output> {
    const file = await open(path, 'a+');
    const { size } = await file.stat();
    await this.#spawnChild(['ignore', file.fd, file.fd]);
    return { isReady: () => saysReady(file, size), [Symbol.asyncDispose]: () => file.close() };
  }

  async #spawnWithLines(onLine: (line: string) => void): Promise<Output> {
    let isReady = false;
    this.#started = [];
    this.#linesBeforeReady = [];
    const { stdout } = await this.#spawnChild(['ignore', 'pipe', 'inherit']);
    if (stdout === null) throw new Error('the server has no output');
    // All output is read: a full pipe would block the server.
    createInterface({ input: stdout }).on('line', (line) => {
      onLine(line);
      if (isReady) return;
      this.#linesBeforeReady.push(line);
      const { started, address, health, msg } = parseLog(line);
      if (started !== undefined) this.#started.push({ role: String(started), address, health });
      isReady = msg === 'ready';
    });
    return { isReady: async () => isReady, [Symbol.asyncDispose]: async () => {} };
  }

  async #spawnChild(stdio: StdioOptions): Promise<ChildProcess> {
    const { roles, env, config, netns } = this.#options;
    const args = ['--role', roles, ...(config === undefined ? [] : ['--config', config])];
    const child = await spawnServer(args, { env, stdio, ...(netns !== undefined && { netns }) });
    this.#child = child;
    this.#exit = once(child, 'exit').then(([code]) => Number(code ?? 1));
    // A process that could not be spawned is reported by `start`.
    this.#exit.catch(() => {});
    return child;
  }

  async #readLog(): Promise<string> {
    const { log } = this.#options;
    return typeof log === 'string' ? readFile(log, 'utf8') : this.#linesBeforeReady.join('\n');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }
}

/** Starts the roles and resolves once they are ready. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const server = new ServerProcess(options);
  await server.start();
  return server;
}

/** Runs a command of the server to its end. */
export async function runServerCommand(
  args: readonly string[],
  env: Env,
): Promise<{ code: number; output: string; errors: string }> {
  const child = await spawnServer(args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  if (child.stdout === null || child.stderr === null) throw new Error('the server has no output');
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: Number(code ?? 1), output, errors };
}

type Output = AsyncDisposable & { isReady(): Promise<boolean> };

async function spawnServer(
  args: readonly string[],
  { env, stdio, netns }: { env: Env; stdio: StdioOptions; netns?: string },
): Promise<ChildProcess> {
  const command = [process.execPath, environment[serverVariable] ?? sources, ...args];
  const [first = '', ...rest] = netns ? ['nsenter', `--net=${netns}`, '--', ...command] : command;
  return spawn(first, rest, {
    env: { PATH: `${environment.PATH}:/usr/sbin:/sbin`, ...runEnvironment(), ...(await compileCache()), ...env },
    stdio,
  });
}

/** True when the log contains the ready line after offset `from`. */
async function saysReady(log: FileHandle, from: number): Promise<boolean> {
  const { size } = await log.stat();
  const { buffer } = await log.read(Buffer.alloc(size - from), 0, size - from, from);
  return buffer.includes('"msg":"ready"');
}

// biome-ignore lint/suspicious/noExplicitAny: a log line has no schema.
function parseLog(line: string): any {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
