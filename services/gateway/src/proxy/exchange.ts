// One attempt at one request on one connection: receives undici's events and writes bytes to the client. An exchange settles
// once, with an error or undefined; the forwarder decides about a retry.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotDispatched } from '@berth/wire';
import type { Dispatcher } from 'undici';
import { pairsOf, withoutHopByHop } from '../http/hop-by-hop.ts';
import { type AnswerSource, AnswerWriter } from './answer-writer.ts';
import type { PooledConnection } from './connection-pool.ts';
import type { ProxyError, ProxyErrorCode, Tally } from './outcome.ts';
import { ClientGone } from './request-body.ts';
import type { RequestTimer } from './request-timer.ts';

export interface ExchangeContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly connection: PooledConnection;
  readonly tally: Tally;
  readonly timer: RequestTimer;
  readonly hasBody: boolean;
  readonly onResponseHead: (status: number, rawHeaders: string[]) => string[];
  readonly onBodyWanted: () => void;
}

export class Exchange implements Dispatcher.DispatchHandler, AnswerSource {
  /**
   * True when the connection has served a request before. The workload may have closed it while this request was on its
   * way, without seeing the request.
   */
  onUsedConnection = false;
  hasAnswerBegun = false;
  readonly #context: ExchangeContext;
  readonly #settle: (error: ProxyError | undefined) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #isAnswerWhole = false;
  readonly #writer: AnswerWriter;

  /** `settle` is called once, with an error or undefined. */
  constructor(context: ExchangeContext, settle: (error: ProxyError | undefined) => void) {
    this.#context = context;
    this.#settle = settle;
    this.#writer = new AnswerWriter(context.response, this);
    context.response.on('close', this.#onClientClose);
  }

  /** Ends the exchange from outside. The connection closes at once, so that the workload can stop too. */
  stop(code: ProxyErrorCode, cause?: unknown): void {
    this.#finish({ code, cause });
    this.#controller?.abort(cause instanceof Error ? cause : new Error(code));
    this.#context.connection.destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { tally, connection, hasBody, onBodyWanted } = this.#context;
    if (this.#isSettled) {
      controller.abort(new Error('no longer wanted'));
      return;
    }
    this.#controller = controller;
    this.onUsedConnection = connection.served > 0;
    // With a body, the head is sent together with the first bytes of the body.
    if (hasBody) onBodyWanted();
    else tally.dispatchState = 'dispatched';
  }

  onBodySent(): void {
    this.#context.tally.dispatchState = this.#context.tally.status === undefined ? 'dispatched' : 'answered';
  }

  onRequestSent(): void {
    this.onBodySent();
  }

  onResponseStarted(): void {
    this.hasAnswerBegun = true;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, _: unknown, reason?: string): void {
    // Interim responses such as early hints are not passed on.
    if (status < 200 || this.#isSettled) return;
    const { tally, timer, onResponseHead } = this.#context;
    timer.touch();
    const headers = onResponseHead(status, answerHeaders(status, rawPairs(controller.rawHeaders)));
    this.#writer.begin(status, reason ?? '', headers);
    tally.status = status;
    tally.dispatchState = 'answered';
    tally.firstByteMs = performance.now() - tally.startedAt;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    const { tally, timer } = this.#context;
    timer.touch();
    tally.bytesOut += chunk.length;
    this.#writer.write(chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled) return;
    const { response, connection } = this.#context;
    this.#isAnswerWhole = true;
    const trailers = rawPairs(controller.rawTrailers);
    if (trailers.length > 0) response.addTrailers([...pairsOf(trailers)]);
    this.#writer.end();
    connection.release();
  }

  onResponseError(_: Dispatcher.DispatchController | null, error: Error): void {
    if (this.#isSettled || this.#isAnswerWhole) return;
    this.#finish({ code: this.#codeOf(error), cause: error });
    this.#context.connection.destroy();
  }

  #codeOf(error: Error): ProxyErrorCode {
    const { tally } = this.#context;
    if (error instanceof NotDispatched) return 'unreachable';
    if (error instanceof ClientGone) return 'client_gone';
    if (tally.status !== undefined) return 'cut';
    const code = 'code' in error ? error.code : undefined;
    if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') return 'bad_request';
    if (this.hasAnswerBegun && code !== 'UND_ERR_SOCKET') return 'bad_answer';
    // The connection ended before it was used: nothing of the request was sent, and the gateway still has all of it.
    return tally.dispatchState === 'not_dispatched' && tally.bytesIn === 0 ? 'unreachable' : 'reset';
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#context.timer.touch();
    this.#controller?.resume();
  }

  readonly #onClientClose = (): void => {
    if (this.#isAnswerWhole && this.#context.response.writableFinished) this.#finish(undefined);
    else this.stop('client_gone');
  };

  #finish(error: ProxyError | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#writer.stop();
    this.#context.response.off('close', this.#onClientClose);
    this.#settle(error);
  }
}

function answerHeaders(status: number, raw: string[]): string[] {
  // A length without a body would make the client wait for bytes that never arrive.
  return withoutHopByHop(raw, status === 204 ? 'content-length' : undefined);
}

function rawPairs(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  const pairs: string[] = [];
  if (!Array.isArray(raw)) return pairs;
  // Latin-1 preserves bytes above ASCII.
  for (const item of raw) pairs.push(typeof item === 'string' ? item : item.toString('latin1'));
  return pairs;
}
