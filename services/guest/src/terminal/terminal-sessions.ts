// All terminal sessions of a guest, by the id that clients choose.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesPerMb } from '@berth/contract/guest';
import type { Guest } from '../guest.ts';
import { Fault } from '../http/fault.ts';
import { processEnvironment } from '../processes/start/process-environment.ts';
import type { ProcessKey, ProcessRecord, SpawnFailure } from '../supervisor/supervisor.ts';
import { terminalKeyPrefix } from './is-terminal-key.ts';
import { TerminalSession } from './terminal-session.ts';

const sweepIntervalMs = 30_000;
const maxSessions = 64;
/** Limit of the log, which the replay and slow clients read. */
const maxSessionLogBytes = bytesPerMb;

export type SessionOptions = {
  shell: string;
  workingDirectory: string;
  inherited: Readonly<Record<string, string | undefined>>;
  cols: number;
  rows: number;
};

export class TerminalSessions {
  readonly #guest: Guest;
  readonly #sessions = new Map<string, Promise<TerminalSession>>();
  readonly #exitResolvers = new Map<ProcessKey, () => void>();

  private constructor(guest: Guest) {
    this.#guest = guest;
    guest.supervisor.onExit(({ key }) => this.#exitResolvers.get(key)?.());
  }

  /** Includes the sessions that an earlier guest has left. */
  static async load(guest: Guest): Promise<TerminalSessions> {
    const sessions = new TerminalSessions(guest);
    await guest.supervisor.ready;
    await sessions.#restore();
    sessions.#sweep();
    return sessions;
  }

  /** The session of this id; started with the options when there is none. Concurrent calls get the same session. */
  open(id: string, options: () => SessionOptions): Promise<TerminalSession> {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    if (this.#sessions.size >= maxSessions) {
      throw new Fault(
        429,
        `There are ${maxSessions} terminal sessions already. Leave one with "exit", then try again.`,
      );
    }
    const session = this.#start(id, options);
    this.#register(id, session);
    return session;
  }

  #register(id: string, opening: Promise<TerminalSession>): void {
    this.#sessions.set(id, opening);
    const forget = () => {
      if (this.#sessions.get(id) === opening) this.#sessions.delete(id);
    };
    opening.then(async (session) => {
      await session.ended;
      forget();
      if (session.clients === 0) await session.remove();
    }, forget);
  }

  get #folder(): string {
    return join(this.#guest.settings.stateFolder, 'terminals');
  }

  async #start(id: string, options: () => SessionOptions): Promise<TerminalSession> {
    const { shell, workingDirectory, inherited, cols, rows } = options();
    const key = `${terminalKeyPrefix}${randomBytes(8).toString('hex').slice(1)}`;
    const folder = join(this.#folder, key);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Written before the shell starts: a guest that dies in between leaves a name without a session, never a session
    // without a name.
    await writeFile(join(folder, 'session.json.new'), JSON.stringify({ id }), { mode: 0o600 });
    await rename(join(folder, 'session.json.new'), join(folder, 'session.json'));
    const exited = this.#untilExit(key);
    const record = await this.#guest.supervisor.spawn(key, {
      args: [shell],
      env: processEnvironment({
        inherited,
        requested: inherited.TERM ? {} : { TERM: 'xterm-256color' },
        key,
        workloadUser: this.#guest.settings.workloadUser,
      }),
      workingDirectory,
      logFolder: folder,
      maxLogBytes: maxSessionLogBytes,
      input: { cols, rows },
    });
    if ('stage' in record) {
      this.#exitResolvers.delete(key);
      await rm(folder, { recursive: true, force: true });
      throw couldNotStart(record, shell, workingDirectory);
    }
    return new TerminalSession(this.#guest, { id, folder, record, exited });
  }

  async #restore(): Promise<void> {
    const keys = await readdir(this.#folder).catch(() => []);
    for (const key of keys) {
      const folder = join(this.#folder, key);
      const record: ProcessRecord | undefined = this.#guest.supervisor.record(key);
      const id = await sessionIdIn(folder);
      // The earlier guest died before the shell was started.
      if (record === undefined || id === undefined) {
        await rm(folder, { recursive: true, force: true });
        continue;
      }
      const exited = record.exit === undefined ? this.#untilExit(key) : Promise.resolve();
      this.#register(id, Promise.resolve(new TerminalSession(this.#guest, { id, folder, record, exited })));
    }
  }

  /** Called before the shell is started, because it may end at once. */
  #untilExit(key: ProcessKey): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exitResolvers.set(key, () => {
      this.#exitResolvers.delete(key);
      resolve();
    });
    return promise;
  }

  /** Idle time is counted in sweeps, not by the clock: a sandbox that slept for an hour has not been idle for one. */
  #sweep(): void {
    const idleLimitMs = this.#guest.settings.terminalIdleSeconds * 1000;
    const everyMs = Math.min(sweepIntervalMs, idleLimitMs / 4);
    const timer = setInterval(async () => {
      for (const session of await Promise.all(
        this.#sessions.values().map((opening) => opening.catch(() => undefined)),
      )) {
        if (session === undefined) continue;
        session.idleMs = session.clients > 0 ? 0 : session.idleMs + everyMs;
        if (session.idleMs >= idleLimitMs) void session.end();
      }
    }, everyMs);
    timer.unref();
    this.#guest.stopping.addEventListener('abort', () => clearInterval(timer));
  }
}

async function sessionIdIn(folder: string): Promise<string | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, 'session.json'), 'utf8'));
    if (typeof value !== 'object' || value === null || !('id' in value)) return undefined;
    return typeof value.id === 'string' ? value.id : undefined;
  } catch {
    return undefined;
  }
}

function couldNotStart({ stage, errno }: SpawnFailure, shell: string, workingDirectory: string): Fault {
  if (stage === 'folder') {
    return new Fault(
      422,
      `The folder ${workingDirectory} does not exist or cannot be entered. Name another workingDir.`,
    );
  }
  if (stage === 'program') return new Fault(422, `${shell} cannot be run (error ${errno}). Name another shell.`);
  return new Fault(422, `No terminal could be started (${stage}, error ${errno}). End some processes, then try again.`);
}
