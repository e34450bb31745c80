// One try at a provider: receives undici's events and writes the answer to the client. Nothing is written for an answer that
// another connection may better.
import type { ServerResponse } from 'node:http';
import { OutwardError } from '@berth/outward';
import type { Dispatcher } from 'undici';
import { withoutHopByHop } from '../http/hop-by-hop.ts';
import { type AnswerSource, AnswerWriter } from '../proxy/answer-writer.ts';
import type { Tally } from '../proxy/outcome.ts';
import type { RequestTimer } from '../proxy/request-timer.ts';
import type { AnswerReader } from './answer-reader.ts';
import type { AttemptError, AttemptResult } from './attempt-result.ts';
import type { KeyFilter } from './key-filter.ts';

export interface ExchangeTask {
  readonly response: ServerResponse;
  readonly tally: Tally;
  readonly timer: RequestTimer;
  readonly filter: KeyFilter;
  /** False when another connection is to be tried instead. */
  readonly passes: (status: number) => boolean;
  /** Called once, for an answer that passes. Returns its headers, and what reads its body. */
  readonly onHead: (status: number, rawHeaders: string[]) => { headers: string[]; reader: AnswerReader };
}

export class ProviderExchange implements Dispatcher.DispatchHandler, AnswerSource {
  readonly #task: ExchangeTask;
  readonly #settle: (result: AttemptResult) => void;
  readonly #writer: AnswerWriter;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: AnswerReader | undefined;
  #isSettled = false;

  /** `settle` is called once. */
  constructor(task: ExchangeTask, settle: (result: AttemptResult) => void) {
    this.#task = task;
    this.#settle = settle;
    this.#writer = new AnswerWriter(task.response, this);
    task.response.on('close', this.#onClientClose);
  }

  /** Ends the try from outside. The connection closes at once, so that the provider can stop too. */
  stop(code: AttemptError['code']): void {
    this.#finish({ code });
    this.#controller?.abort(new Error(code));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new Error('no longer wanted'));
  }

  onBodySent(): void {
    this.#task.tally.dispatchState = 'dispatched';
  }

  onRequestSent(): void {
    this.#task.tally.dispatchState = 'dispatched';
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _: unknown, reason?: string): void {
    if (status < 200 || this.#isSettled) return;
    const { tally, timer, filter, passes, onHead } = this.#task;
    timer.touch();
    if (!passes(status)) {
      this.#finish({ code: 'refused' }, status);
      controller.abort(new Error('another connection is tried'));
      return;
    }
    const { headers, reader } = onHead(status, withoutHopByHop(rawPairs(controller.rawHeaders)));
    // Throws for a header that may not be passed on; nothing is answered then.
    this.#writer.begin(status, filter.text(reason ?? ''), headers);
    this.#reader = reader;
    tally.status = status;
    tally.dispatchState = 'answered';
    tally.firstByteMs = performance.now() - tally.startedAt;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#task.timer.touch();
    this.#write(this.#reader?.pass(this.#task.filter.pass(chunk)) ?? []);
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    const rest = this.#task.filter.end();
    if (rest.length > 0) this.#write(this.#reader?.pass(rest) ?? []);
    this.#write(this.#reader?.end() ?? []);
    this.#writer.end();
    this.#finish(undefined);
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    const isAddress = error instanceof OutwardError && error.reason === 'address';
    this.#finish({ code: this.#hasAnswered ? 'cut' : isAddress ? 'address' : 'unreachable', cause: error });
  }

  get #hasAnswered(): boolean {
    return this.#task.tally.status !== undefined;
  }

  #write(pieces: readonly Buffer[]): void {
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      this.#task.tally.bytesOut += piece.length;
      this.#writer.write(piece);
    }
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#task.timer.touch();
    this.#controller?.resume();
  }

  readonly #onClientClose = (): void => this.stop('client_gone');

  #finish(error: AttemptError | undefined, status?: number): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#writer.stop();
    this.#task.response.off('close', this.#onClientClose);
    if (error === undefined) this.#settle({ is: 'answered' });
    else if (this.#hasAnswered) this.#settle({ is: 'answered', error });
    else this.#settle({ is: 'failed', error, ...(status !== undefined && { status }) });
  }
}

function rawPairs(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  // Latin-1 preserves bytes above ASCII.
  return raw.map((item) => (typeof item === 'string' ? item : item.toString('latin1')));
}
