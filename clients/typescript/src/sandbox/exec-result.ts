// The result of a process that has ended. An exit code other than 0 is a result, and an error only where the caller asks for it.
import type { Process as ProcessInfo } from '../generated/guest.ts';
import { BerthError, ConnectionError } from '../http/errors.ts';
import type { OutputOrEnd } from './output.ts';

/** The end of a process, with its output. */
export interface ExecResult {
  /** 128 and the number of the signal where a signal ended the process. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** False where output was dropped before it was read: the process wrote much, and the connection was away for long. */
  readonly isComplete: boolean;
  /** The process as the sandbox describes it. */
  readonly process: ProcessInfo;
}

/** A process ended with another code than 0, and the caller asked for 0. */
export class ExitError extends BerthError {
  /** The result, with the whole output. */
  readonly result: ExecResult;

  constructor(result: ExecResult) {
    const said = (result.stderr.trim() || result.stdout.trim()).split('\n').slice(-shownLines).join('\n');
    super({
      code: 'exit',
      status: undefined,
      message: `"${result.process.command}" ended with exit code ${result.exitCode}.${said === '' ? '' : `\n${said}`}`,
    });
    this.result = result;
  }
}

const shownLines = 10;

/** Called with output as it arrives. */
export interface OutputCallbacks {
  readonly onStdout?: ((text: string) => void) | undefined;
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** Joins the output of a process; characters may arrive in parts. */
export class ResultCollector {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  readonly #texts = { stdout: '', stderr: '' };
  readonly #callbacks: OutputCallbacks;
  #process: ProcessInfo | undefined;
  #isComplete = true;

  constructor(callbacks: OutputCallbacks = {}) {
    this.#callbacks = callbacks;
  }

  take(event: OutputOrEnd): void {
    if (event.type === 'gap') this.#isComplete = false;
    if (event.type === 'notice' || event.type === 'gap') return;
    if (event.type === 'end') {
      this.#process = event.process;
      for (const stream of ['stdout', 'stderr'] as const) this.#add(stream, this.#decoders[stream].decode());
    } else {
      this.#add(event.type, this.#decoders[event.type].decode(event.bytes, { stream: true }));
    }
  }

  finish(check: boolean): ExecResult {
    const process = this.#process;
    if (process === undefined)
      throw new ConnectionError({ code: 'no_end', status: undefined, message: 'The process has not ended.' });
    const result = { exitCode: process.exitCode, ...this.#texts, isComplete: this.#isComplete, process };
    if (check && result.exitCode !== 0) throw new ExitError(result);
    return result;
  }

  #add(stream: 'stdout' | 'stderr', text: string): void {
    if (text === '') return;
    this.#texts[stream] += text;
    (stream === 'stdout' ? this.#callbacks.onStdout : this.#callbacks.onStderr)?.(text);
  }
}
