// Forwards one request to one instance and streams bytes both ways. HTTP is parsed here and nowhere else on the way.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, type Logger, type Registry } from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import { discardRest } from '../http/discard-rest.ts';
import { withoutHopByHop } from '../http/hop-by-hop.ts';
import type { Endpoint, ServedKind } from '../workloads/workload.ts';
import type { Timeouts } from '../workloads/workload-kind.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { type BodyLimits, bodyLimitFor } from './body-limit.ts';
import { type ConnectionPoolSettings, createConnectionPool } from './connection-pool.ts';
import type { Connector } from './connector.ts';
import { Exchange } from './exchange.ts';
import { type Outcome, outcomeOf, type ProxyError, startTally, type Tally } from './outcome.ts';
import { hasBody, RequestBody } from './request-body.ts';
import { startRequestTimer } from './request-timer.ts';

export interface ForwarderOptions {
  readonly connector: Connector;
  readonly limits: BodyLimits;
  readonly timeouts: Readonly<Record<ServedKind, Timeouts>>;
  readonly pool?: Partial<ConnectionPoolSettings>;
  /** How long the rest of an upload is read and discarded after an early response. */
  readonly lingerMs?: number;
  readonly logger: Logger;
  readonly registry: Registry;
}

export interface ForwardTask {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly kind: ServedKind;
  /** Path exactly as the workload shall receive it, byte for byte. */
  readonly path: string;
  /** Raw pairs, including a Host header. */
  readonly headers: readonly string[];
  /** May add and remove response headers; hop-by-hop headers are already removed. */
  readonly onResponseHead: (status: number, rawHeaders: string[]) => string[];
  /** In place of those of the kind. */
  readonly timeouts?: Timeouts | undefined;
}

export interface Forwarder {
  /** Never throws. An outcome without `status` means that nothing was written, and the caller has to answer. */
  forward(task: ForwardTask): Promise<Outcome>;
  forget(instance: string): void;
  close(): Promise<void>;
}

const poolDefaults: ConnectionPoolSettings = {
  idleMs: 4_000,
  maxIdleMs: 60_000,
  maxAgeMs: 8_000,
  keepAwakeMs: 1_000,
  maxHeaderBytes: 64 * 1024,
};
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
const attempts = 2;
const ignore = (): void => {};

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { connector, limits, timeouts, logger, registry, lingerMs } = options;
  const pool = createConnectionPool(connector, { ...poolDefaults, ...options.pool }, registry);
  const retries = new Counter({
    name: 'berth_gateway_upstream_retries_total',
    help: 'Requests sent a second time because their first connection failed before it was used.',
    registers: [registry],
  });

  /** Uses callbacks instead of promises: every request passes here, and a promise per step adds up. */
  function attempt(task: ForwardTask, tally: Tally, settle: (error: ProxyError | undefined) => void): void {
    const { request, response, onResponseHead } = task;
    const isUploadPart = workloadKinds[task.kind].isUploadPart(request.method, task.path, task.endpoint.port);
    const limit = bodyLimitFor(limits, request.headers['content-type'], isUploadPart);
    const isTooLarge = limit !== undefined && Number(request.headers['content-length'] ?? 0) > limit.maxBytes;
    if (isTooLarge || request.socket.destroyed) {
      settle({ code: isTooLarge ? 'too_large' : 'client_gone' });
      return;
    }

    const withBody = hasBody(request);
    // undici sets framing and connection headers itself and refuses these. The gateway sends `100 Continue` itself.
    const headers = withoutHopByHop(task.headers, 'expect');
    let current: Exchange | undefined;
    let body: RequestBody | null = null;
    let wantsContinue = request.headers.expect !== undefined;
    const timer = startRequestTimer(task.timeouts ?? timeouts[task.kind], () =>
      current?.stop(body?.isClientLate === true ? 'client_late' : 'timed_out'),
    );
    const onBodyWanted = () => {
      if (wantsContinue) response.writeContinue();
      wantsContinue = false;
    };
    const onBodyChunk = (chunk: Buffer) => {
      tally.bytesIn += chunk.length;
      timer.touch();
      if (limit?.guard(tally.bytesIn, chunk) === false) current?.stop('too_large');
    };

    function begin(round: number): void {
      const connection = pool.take(task.endpoint);
      const context = { request, response, connection, tally, timer, onResponseHead, onBodyWanted, hasBody: withBody };
      const exchange = new Exchange(context, (error) => onDone(exchange, round, error));
      current = exchange;
      body = withBody ? new RequestBody(request, onBodyChunk) : null;
      // undici reports a failed body itself. A body that fails before undici reads it would otherwise raise an
      // unhandled error.
      body?.on('error', ignore);
      connection.client.dispatch({ method: request.method ?? 'GET', path: task.path, headers, body }, exchange);
    }

    function onDone(exchange: Exchange, round: number, error: ProxyError | undefined): void {
      if (error === undefined || round === attempts || !mayRetry(request, tally, exchange, error)) {
        timer.stop();
        settle(error);
        return;
      }
      retries.inc();
      logger.debug(
        { instance: task.endpoint.instance, err: error.cause },
        'connection to the instance failed; retrying on another one',
      );
      tally.dispatchState = 'not_dispatched';
      begin(round + 1);
    }

    begin(1);
  }

  return {
    forward: (task) =>
      new Promise((resolve) => {
        const { request, response } = task;
        const tally = startTally();
        attempt(task, tally, (error) => {
          // The connection closes before the end of the response: this tells the client that the response was cut.
          if (error !== undefined && tally.status !== undefined) response.destroy();
          if (tally.status !== undefined) discardRest(request, lingerMs);
          resolve(outcomeOf(tally, error));
        });
      }),
    forget: pool.forget,
    close: pool.close,
  };
}

/**
 * Body bytes are not kept, so a request whose body has begun is never repeated. The workload may close a used
 * connection while a request is on its way. Repeating is safe then, if nothing was sent or the method is idempotent.
 */
function mayRetry(request: IncomingMessage, tally: Tally, exchange: Exchange, { code, cause }: ProxyError): boolean {
  if (tally.bytesIn > 0 || exchange.hasAnswerBegun) return false;
  // If the runner does not know the instance or refuses it, another connection does not help.
  if (code === 'unreachable') return !(cause instanceof NotDispatched) || cause.reason === 'unreachable';
  if (code !== 'reset' || !exchange.onUsedConnection) return false;
  return tally.dispatchState === 'not_dispatched' || idempotent.has(request.method ?? '');
}
