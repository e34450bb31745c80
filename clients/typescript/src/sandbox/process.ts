// One process of a sandbox.
import type { Message, Process as ProcessInfo } from '../generated/guest.ts';
import { NotFoundError } from '../http/errors.ts';
import { type ExecResult, ResultCollector } from './exec-result.ts';
import type { Guest } from './guest.ts';
import { followOutput, type OutputEvent, type OutputOrEnd } from './output.ts';

/** Options of a wait for the end of a process. */
export interface Waiting {
  /** Ends the wait, not the process. */
  readonly signal?: AbortSignal | undefined;
  /** Throws an ExitError where the exit code is not 0. */
  readonly check?: boolean | undefined;
}

/** A process of a sandbox. */
export class Process {
  readonly #guest: Guest;
  /** Names the process in its sandbox. */
  readonly name: string;

  constructor(guest: Guest, name: string) {
    this.#guest = guest;
    this.name = name;
  }

  /** The process as the sandbox describes it now. */
  info(): Promise<ProcessInfo> {
    return this.#guest.json({ method: 'GET', path: this.#path(), isRepeatable: true });
  }

  /** All output that is kept, from the beginning on, and what follows until the process has ended. */
  async *output(signal?: AbortSignal): AsyncGenerator<OutputEvent> {
    for await (const event of this.events(signal)) if (event.type !== 'end') yield event;
  }

  /** The same, with the end of the process as the last event. */
  events(signal?: AbortSignal): AsyncGenerator<OutputOrEnd> {
    const open = (offset: number) =>
      this.#guest.stream({
        ...{ method: 'GET', path: `${this.#path()}/output?offset=${offset}`, signal },
        isRepeatable: true,
      });
    return followOutput({ open, signal });
  }

  /** Waits for the end. */
  async wait({ signal, check }: Waiting = {}): Promise<ExecResult> {
    const result = new ResultCollector();
    for await (const event of this.events(signal)) result.take(event);
    return result.finish(check ?? false);
  }

  /** Writes to the input of a process that was started with `stdin`. */
  async write(data: string | Uint8Array): Promise<void> {
    const isText = typeof data === 'string';
    await this.#input(isText ? { data } : { data: toBase64(data), encoding: 'base64' });
  }

  /** Closes the input; the process reads its end. */
  async endInput(): Promise<void> {
    await this.#input({ end: true });
  }

  /** Sends a signal, for example SIGHUP. */
  async signal(name: string): Promise<void> {
    await this.#guest.json<Message>({
      ...{ method: 'POST', path: `${this.#path()}/signal`, json: { signal: name } },
      isRepeatable: false,
    });
  }

  /** Sends SIGTERM, and SIGKILL to what is left after the grace. False when the process had ended. */
  stop(graceSeconds = 10): Promise<boolean> {
    return this.#end(`${this.#path()}?grace=${graceSeconds}`);
  }

  /** Kills the process and everything that it started. False when the process had ended. */
  kill(): Promise<boolean> {
    return this.#end(`${this.#path()}/kill`);
  }

  async #end(path: string): Promise<boolean> {
    try {
      await this.#guest.json<Message>({ method: 'DELETE', path, isRepeatable: true });
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #input(json: { data?: string; encoding?: 'base64'; end?: boolean }): Promise<void> {
    await this.#guest.json<Message>({
      ...{ method: 'POST', path: `${this.#path()}/stdin`, json },
      // Twice the same input is another input.
      isRepeatable: json.data === undefined,
    });
  }

  #path(): string {
    return `/process/${encodeURIComponent(this.name)}`;
  }
}

const chunk = 32_768;

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += chunk) text += String.fromCharCode(...bytes.subarray(at, at + chunk));
  return btoa(text);
}
