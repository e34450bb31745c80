// One sandbox: a machine of its own for programs, with files, ports and a terminal. It sleeps when it is not used, and any
// request wakes it.
import type { Sandbox as SandboxInfo } from '../generated/management.ts';
import { NotFoundError } from '../http/errors.ts';
import type { ManagementApi } from '../management-api.ts';
import { type ExecOptions, exec, type StartOptions, start } from './exec.ts';
import type { ExecResult } from './exec-result.ts';
import { Files } from './files.ts';
import { Guest } from './guest.ts';
import { Previews } from './previews.ts';
import { Process } from './process.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

/** One sandbox. It sleeps when it is not used, and any request wakes it. `await using` deletes it at the end of the block. */
export class Sandbox implements AsyncDisposable {
  readonly #api: ManagementApi;
  readonly #guest: Guest;
  /** Name of the sandbox in its workspace. */
  readonly name: string;
  /** As it was when this object was made; `refresh` reads it again. */
  readonly info: SandboxInfo;
  /** Files of the sandbox. */
  readonly files: Files;
  /** Addresses of its ports for browsers. */
  readonly previews: Previews;

  constructor(api: ManagementApi, info: SandboxInfo) {
    this.#api = api;
    this.info = info;
    this.name = info.metadata.name;
    const path = `/${info.metadata.workspace ?? ''}/sandboxes/${encodeURIComponent(this.name)}`;
    this.#guest = new Guest(api.transport, async () => `${await api.gatewayUrl()}${path}`);
    this.files = new Files(this.#guest);
    this.previews = new Previews(api, this.name);
  }

  /** Runs a command of the shell to its end. */
  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    return exec(this.#guest, command, options);
  }

  /** Starts a command and does not wait for its end. */
  spawn(command: string, options: StartOptions = {}): Promise<Process> {
    return start(this.#guest, command, options);
  }

  /** A process that was started before, by its name or number. */
  process(name: string): Process {
    return new Process(this.#guest, name);
  }

  /** Opens a terminal, or continues that of the same `sessionId`. */
  terminal(options: TerminalOptions): Promise<Terminal> {
    return openTerminal(this.#guest, options);
  }

  /** Address at which a port answers to requests with the key. `previews` are for browsers. */
  async port(number: number): Promise<string> {
    return `${await this.#guest.address()}/port/${number}`;
  }

  /** Reads the sandbox again, with its present state. */
  async refresh(): Promise<Sandbox> {
    return new Sandbox(this.#api, await this.#api.request('getSandbox', { params: { sandboxName: this.name } }));
  }

  /** Deletes the sandbox and its files. Does nothing where it is gone already. */
  async delete(): Promise<void> {
    try {
      await this.#api.request('deleteSandbox', { params: { sandboxName: this.name } });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete();
  }
}
