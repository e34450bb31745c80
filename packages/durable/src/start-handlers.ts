// Serves a catalogue to Restate over HTTP/2 and keeps it registered, also after Restate lost everything it knew.
import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, Limit, pause } from '@berth/pace';
import { type Logger, notReady, type ReadyReport } from '@berth/telemetry';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { AttemptCounter } from './attempt-counter.ts';
import { bindHandler } from './bind-handler.ts';
import type { Catalogue } from './handler.ts';
import { register } from './register.ts';
import { sdkLogger } from './sdk-logger.ts';

export interface HandlersOptions {
  readonly catalogue: Catalogue;
  readonly adminUrl: string;
  readonly logger: Logger;
  /** 0 takes a free one. */
  readonly port: number;
  readonly host?: string;
  /**
   * Where Restate reaches this process, or the replicas it is one of; the bound address by default. It stays the same from
   * version to version: a call that has begun is only ever tried again where it began.
   */
  readonly advertisedUrl?: string | undefined;
  /** Public keys of the Restate that may call (`publickeyv1_…`). Without one, whoever reaches the port may. */
  readonly identityKeys?: readonly string[];
  /** Calls at a time. Restate brings up to a thousand, which would only queue for connections to the database. */
  readonly concurrency?: number;
  /** How often it looks whether Restate still knows the handlers. */
  readonly checkEveryMs?: number;
  /** Restate had never heard of these handlers, or has lost its data: a resync finds the work that it no longer has. */
  readonly onFirstRegistered?: () => Promise<void>;
}

export interface RunningHandlers {
  readonly url: string;
  ready(): Promise<ReadyReport>;
  /** Takes no new calls, lets the running ones finish; one that does not in time is run again elsewhere. */
  stop(deadlineMs?: number): Promise<void>;
}

/** Resolves once it listens and Restate knows it. Restate may be started later: it is asked until it answers. */
export async function startHandlers(options: HandlersOptions): Promise<RunningHandlers> {
  const { catalogue, logger, adminUrl, port, host = '127.0.0.1', identityKeys = [] } = options;
  const serving = { logger, attempts: new AttemptCounter(), limit: new Limit(options.concurrency ?? 64) };
  const server = createServer(
    createEndpointHandler({
      services: catalogue.map((handler) => bindHandler(handler, serving)),
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
        // Remembered until it is done: the second time the same address is no longer new.
        isFirst ||= isNew;
        if (isFirst) await options.onFirstRegistered?.();
        isFirst = false;
        return;
      } catch (error) {
        isRegistered = isFirst;
        logger.warn({ err: error, failures }, isFirst ? 'resync failed' : 'handlers are not registered');
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

/** Closing an HTTP/2 server waits for its sessions, and Restate keeps one open for minutes. */
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
