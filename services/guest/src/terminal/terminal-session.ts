// One shell on a terminal. The native helper holds the terminal and writes its output into a log, so the session
// survives disconnects and a restart of the guest; each client reads the log at its own pace.
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Guest } from '../guest.ts';
import { membersOf } from '../proc/process-members.ts';
import { OutputLog } from '../processes/output/output-log.ts';
import type { ProcessRecord } from '../supervisor/supervisor.ts';

const hangUpSignal = 1;
const killGraceMs = 1_000;
const maxKillRounds = 20;
const killRoundMs = 25;
const maxInputPieceBytes = 16 * 1024;

export type SessionParts = {
  id: string;
  folder: string;
  record: ProcessRecord;
  /** Resolves when the shell has ended. */
  exited: Promise<void>;
};

export class TerminalSession {
  readonly id: string;
  readonly key: string;
  readonly log: OutputLog;
  /** Number of sockets that watch the session. */
  clients = 0;
  /** Time without a client, as counted by the sweeps. */
  idleMs = 0;
  /** Resolves once the shell has ended and no process of the session is left. */
  readonly ended: Promise<void>;
  readonly #guest: Guest;
  readonly #folder: string;
  readonly #record: ProcessRecord;
  #writing: Promise<boolean> = Promise.resolve(true);

  constructor(guest: Guest, { id, folder, record, exited }: SessionParts) {
    this.id = id;
    this.key = record.key;
    this.log = new OutputLog(folder, 'all');
    this.#guest = guest;
    this.#folder = folder;
    this.#record = record;
    // The shell is gone; processes that it started in the background still hold the terminal, and are killed.
    this.ended = exited.then(() => this.#killMembers());
  }

  get isRunning(): boolean {
    const record = this.#guest.supervisor.record(this.key);
    return record !== undefined && record.exit === undefined;
  }

  /** Writes in order, for all clients. Resolves when the terminal has taken the text; false when the shell is gone. */
  write(text: string): Promise<boolean> {
    this.#writing = this.#writing.then(() => this.#write(Buffer.from(text)));
    return this.#writing;
  }

  async #write(bytes: Buffer): Promise<boolean> {
    for (let at = 0; at < bytes.length; at += maxInputPieceBytes) {
      const piece = bytes.subarray(at, at + maxInputPieceBytes);
      if (!(await this.#guest.supervisor.write(this.key, piece))) return false;
    }
    return true;
  }

  resize(cols: number, rows: number): void {
    this.#guest.supervisor.resize(this.key, cols, rows);
  }

  /** Ends the session like a closed terminal: a hang-up that shells understand, then SIGKILL for all members. */
  async end(): Promise<void> {
    this.#guest.supervisor.signal(this.key, hangUpSignal);
    const patience = AbortSignal.timeout(killGraceMs);
    while (this.isRunning && !patience.aborted) await delay(killRoundMs);
    await this.#killMembers();
    await this.ended;
  }

  /** Finds members by session: jobs of a shell have their own groups. */
  async #killMembers(): Promise<void> {
    const { pid, startTicks } = this.#record;
    for (let round = 0; round < maxKillRounds; round += 1) {
      const members = membersOf({ pid, startTicks });
      if (members.length === 0) return;
      for (const member of members) kill(member);
      await delay(killRoundMs);
    }
    this.#guest.log.line('guest', {
      level: 'warn',
      message: `processes of terminal session ${this.key} did not end when killed; they run until the sandbox stops`,
    });
  }

  /** Called after the session has ended and the last client has read it. */
  async remove(): Promise<void> {
    this.#guest.supervisor.forget(this.key);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}
