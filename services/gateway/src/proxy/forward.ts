// One request to one instance, bytes streaming both ways. HTTP is parsed here and nowhere else on the way.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, type Logger, type Registry } from '@berth/telemetry';
import { NotDispatched } from '@berth/wire';
import type { Endpoint, Workload } from '../routing/route.ts';
import { type BodyLimits, bodyLimitFor } from './body-limit.ts';
import type { Connector } from './connector.ts';
import { Exchange } from './exchange.ts';
import { withoutHopByHop } from './hop-by-hop.ts';
import { createLanes, type LaneSettings } from './lanes.ts';
import { type Outcome, outcomeOf, type ProxyError, startTally, type Tally } from './outcome.ts';
import { startPatience, type Timeouts } from './patience.ts';
import { discardRest, hasBody, RequestBody } from './request-body.ts';

export interface ForwarderOptions {
  readonly connector: Connector;
  readonly limits: BodyLimits;
  readonly timeouts: Readonly<Record<Workload['kind'], Timeouts>>;
  readonly lanes?: Partial<LaneSettings>;
  /** How long the rest of an upload is read and thrown away after an early answer. */
  readonly lingerMs?: number;
  readonly logger: Logger;
  readonly registry: Registry;
}

export interface ForwardTask {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly endpoint: Endpoint;
  readonly kind: Workload['kind'];
  /** Byte for byte as the workload shall see it. */
  readonly path: string;
  /** Raw pairs, with a host. */
  readonly headers: readonly string[];
  /** May add to and take from the workload's headers; hop-by-hop ones are gone already. */
  readonly onResponseHead: (status: number, rawHeaders: string[]) => string[];
}

export interface Forwarder {
  /** Never throws. Without a `status` in its outcome nothing was written: the answer is the caller's. */
  forward(task: ForwardTask): Promise<Outcome>;
  forget(instance: string): void;
  close(): Promise<void>;
}

const laneDefaults: LaneSettings = {
  idleMs: 4_000,
  mostIdleMs: 60_000,
  mostAgeMs: 8_000,
  keepAwakeMs: 1_000,
  maxHeaderBytes: 64 * 1024,
};
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
const attempts = 2;
const ignore = (): void => {};

export function createForwarder(options: ForwarderOptions): Forwarder {
  const { connector, limits, timeouts, logger, registry, lingerMs } = options;
  const lanes = createLanes(connector, { ...laneDefaults, ...options.lanes }, registry);
  const retries = new Counter({
    name: 'berth_gateway_upstream_retries_total',
    help: 'Requests that were sent a second time because their first connection failed unused.',
    registers: [registry],
  });

  /** Calls back instead of being awaited: every request comes through here, and a promise for each step adds up. */
  function attempt(task: ForwardTask, tally: Tally, settle: (error: ProxyError | undefined) => void): void {
    const { request, response, onResponseHead } = task;
    const limit = bodyLimitFor(limits, request.headers['content-type'], isUploadPart(task));
    const isTooLarge = limit !== undefined && Number(request.headers['content-length'] ?? 0) > limit.mostBytes;
    if (isTooLarge || request.socket.destroyed) {
      settle({ code: isTooLarge ? 'too_large' : 'client_gone' });
      return;
    }

    const withBody = hasBody(request);
    // undici frames the body and keeps the connection itself, and refuses these. We say `100 Continue` ourselves.
    const headers = withoutHopByHop(task.headers, 'expect');
    let current: Exchange | undefined;
    let body: RequestBody | null = null;
    let wantsContinue = request.headers.expect !== undefined;
    const patience = startPatience(timeouts[task.kind], () =>
      current?.stop(body?.isClientLate === true ? 'client_late' : 'timed_out'),
    );
    const onBodyWanted = () => {
      if (wantsContinue) response.writeContinue();
      wantsContinue = false;
    };
    const onBodyChunk = (chunk: Buffer) => {
      tally.bytesIn += chunk.length;
      patience.touch();
      if (limit?.guard(tally.bytesIn, chunk) === false) current?.stop('too_large');
    };

    function begin(round: number): void {
      const lane = lanes.take(task.endpoint);
      const context = { request, response, lane, tally, patience, onResponseHead, onBodyWanted, hasBody: withBody };
      const exchange = new Exchange(context, (error) => onDone(exchange, round, error));
      current = exchange;
      body = withBody ? new RequestBody(request, onBodyChunk) : null;
      // undici tells of a failed body itself; one that failed before it was asked for has nobody else to tell.
      body?.on('error', ignore);
      lane.client.dispatch({ method: request.method ?? 'GET', path: task.path, headers, body }, exchange);
    }

    function onDone(exchange: Exchange, round: number, error: ProxyError | undefined): void {
      if (error === undefined || round === attempts || !mayRetry(request, tally, exchange, error)) {
        patience.stop();
        settle(error);
        return;
      }
      retries.inc();
      logger.debug({ instance: task.endpoint.instance, err: error.cause }, 'trying another connection');
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
          // The client is told of a cut answer by a connection that ends before the answer does.
          if (error !== undefined && tally.status !== undefined) response.destroy();
          if (tally.status !== undefined) discardRest(request, lingerMs);
          resolve(outcomeOf(tally, error));
        });
      }),
    forget: lanes.forget,
    close: lanes.close,
  };
}

const partForm = /^\/filesystem-multipart\/[^/?]+\/part\/?(?:\?|$)/;

/** Of a large file, in the API inside a sandbox. */
const isUploadPart = ({ request, kind, endpoint, path }: ForwardTask): boolean =>
  kind === 'sandbox' && endpoint.port === undefined && request.method === 'PUT' && partForm.test(path);

/**
 * Bytes of a body are not kept, so one that has begun is never sent again. A connection that had served before may have been
 * closed by the workload while our request was on its way: that is safe to repeat when nothing was sent or the method says so.
 */
function mayRetry(request: IncomingMessage, tally: Tally, exchange: Exchange, { code, cause }: ProxyError): boolean {
  if (tally.bytesIn > 0 || exchange.hasAnswerBegun) return false;
  // That it is unknown or refused there, another connection will not change.
  if (code === 'unreachable') return !(cause instanceof NotDispatched) || cause.reason === 'unreachable';
  if (code !== 'reset' || !exchange.onUsedConnection) return false;
  return tally.dispatchState === 'not_dispatched' || idempotent.has(request.method ?? '');
}
