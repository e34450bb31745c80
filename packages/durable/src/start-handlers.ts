// Serves the handlers to Restate over HTTP/2 and keeps them registered, also after Restate lost its data.
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, pause, Semaphore } from '@berth/concurrency';
import { type Logger, noSpans, notReady, type ReadyReport, Registry, type SpanSink } from '@berth/telemetry';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { AttemptCounter } from './attempt-counter.ts';
import { bindHandler } from './bind-handler.ts';
import type { Handler } from './handler.ts';
import { createHandlerMetrics } from './handler-metrics.ts';
import { register } from './register.ts';
import { sdkLogger } from './sdk-logger.ts';

export interface HandlersOptions {
  /** All handlers that the process serves; their names are unique. */
  readonly handlers: readonly Handler[];
  readonly adminUrl: string;
  readonly logger: Logger;
  readonly registry?: Registry;
  readonly spans?: SpanSink | undefined;
  /** 0 picks a free port. */
  readonly port: number;
  readonly host?: string;
  /**
   * Address at which Restate reaches this process or its group of replicas; the bound address by default. It stays the
   * same across versions, because a call that has begun is only retried at the address where it began.
   */
  readonly advertisedUrl?: string | undefined;
  /** Public keys of the Restate servers that may call (`publickeyv1_…`). Without keys, any client may call. */
  readonly identityKeys?: readonly string[];
  /** Maximum of concurrent calls. Restate sends up to a thousand, which would only queue for database connections. */
  readonly concurrency?: number;
  /** Interval of the check that Restate still knows the handlers. */
  readonly checkEveryMs?: number;
  /**
   * Called when Restate did not know these handlers yet or has lost its data. A resync then finds the work that Restate
   * no longer has.
   */
  readonly onFirstRegistered?: () => Promise<void>;
}

export interface RunningHandlers {
  readonly url: string;
  ready(): Promise<ReadyReport>;
  /** Accepts no new calls and lets running calls finish. A call that misses the deadline is run again elsewhere. */
  stop(deadlineMs?: number): Promise<void>;
}

/**
 * Resolves once the server listens and is registered with Restate. Restate may start later: registration is retried
 * until it succeeds.
 */
export async function startHandlers(options: HandlersOptions): Promise<RunningHandlers> {
  const { handlers, logger, adminUrl, port, host = '127.0.0.1', identityKeys = [] } = options;
  const names = handlers.map(({ name }) => name);
  const serving = {
    logger,
    spans: options.spans ?? noSpans,
    metrics: createHandlerMetrics(options.registry ?? new Registry(), names),
    attempts: new AttemptCounter(),
    limit: new Semaphore(options.concurrency ?? 64),
  };
  const server = createServer(
    createEndpointHandler({
      services: handlers.map((handler) => bindHandler(handler, serving)),
      identityKeys: [...identityKeys],
      logger: sdkLogger(logger),
    }),
  );
  const sessions = trackSessions(server);
  const url = await listen(server, port, host);
  const registration = { adminUrl, handlersUrl: options.advertisedUrl ?? url };
  const stopping = new AbortController();
  let isRegistered = false;
  let isFirst = false;

  const keepRegistered = async (renew: boolean): Promise<void> => {
    for (let failures = 1; !stopping.signal.aborted; failures += 1) {
      try {
        const { isNew } = await register(registration, renew);
        isRegistered = true;
        // Kept until the callback succeeds: on the next attempt the same address is no longer new.
        isFirst ||= isNew;
        if (isFirst) await options.onFirstRegistered?.();
        isFirst = false;
        return;
      } catch (error) {
        isRegistered = isFirst;
        logger.warn(
          { err: error, failures },
          isFirst
            ? 'resync after registration failed; it is repeated after a backoff'
            : 'registration with Restate failed; it is repeated after a backoff',
        );
        await pause(backoffMs(failures, 100, 10_000, Math.random), stopping.signal);
      }
    }
  };
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(options.checkEveryMs ?? 10_000, stopping.signal);
      if (!stopping.signal.aborted) await keepRegistered(false);
    }
  };

  await keepRegistered(true);
  const watching = watch();
  return {
    url,
    ready: async () =>
      isRegistered ? { ready: true, checks: { restate: { ok: true } } } : notReady('restate', 'not registered'),
    async stop(deadlineMs = 10_000) {
      stopping.abort();
      await watching;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      await Promise.race([closed, sleep(deadlineMs, undefined, { ref: false })]);
      for (const session of sessions) session.destroy();
      await closed;
    },
  };
}

/**
 * Tracks open sessions so that `stop` can close them: `server.close()` waits for them, and Restate keeps a session open
 * for minutes.
 */
function trackSessions(server: Http2Server): Set<ServerHttp2Session> {
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  return sessions;
}

async function listen(server: Http2Server, port: number, host: string): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The handlers have no port.');
  return `http://${host}:${address.port}`;
}
