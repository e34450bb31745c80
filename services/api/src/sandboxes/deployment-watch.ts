// Notifies waiting requests when a resource is no longer DEPLOYING. One connection listens and one statement polls for
// all of them, so a thousand waiting requests cost as much as one.
import { type Database, listen, routesChannel } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import { isLive } from '../resources/terminated.ts';

export interface DeploymentWatch {
  /** True once the status is not DEPLOYING or the resource is gone; false after `mostMs` or when the signal aborts. */
  settled(uid: string, mostMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends every wait, including waits that begin later. */
  close(): Promise<void>;
}

/** Poll interval, because a notice may be lost. */
const lookMs = 1_000;

export interface DeploymentWatchOptions {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly logger: Logger;
}

export function watchDeployments({ database, databaseUrl, logger }: DeploymentWatchOptions): DeploymentWatch {
  const waiting = new Map<string, Set<(isSettled: boolean) => void>>();
  let isClosed = false;

  const look = (uids: readonly string[]): void => {
    if (uids.length === 0) return;
    stillOnTheirWay(database, uids).then(
      (busy) => {
        for (const uid of uids) if (!busy.has(uid)) for (const end of waiting.get(uid) ?? []) end(true);
      },
      (err: unknown) => logger.warn({ err }, 'those who wait for a sandbox are told late'),
    );
  };
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotification: (uid) => {
      if (uid === '') look([...waiting.keys()]);
      else if (waiting.has(uid)) look([uid]);
    },
    onError: (err) => logger.warn({ err }, 'sandboxes that are ready are noticed late'),
  });
  const looking = setInterval(() => look([...waiting.keys()]), lookMs).unref();

  return {
    settled(uid, mostMs, signal) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiters = waiting.get(uid) ?? new Set();
      waiting.set(uid, waiters);
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, mostMs);
      const end = (isSettled: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        waiters.delete(end);
        if (waiters.size === 0) waiting.delete(uid);
        resolve(isSettled);
      };
      waiters.add(end);
      signal.addEventListener('abort', giveUp);
      // A request may begin to wait while the api stops; its wait would delay the stop.
      if (signal.aborted || isClosed) giveUp();
      // The resource may have settled before the wait was registered.
      else look([uid]);
      return promise;
    },
    async close() {
      isClosed = true;
      clearInterval(looking);
      for (const waiters of [...waiting.values()]) for (const end of [...waiters]) end(false);
      await listener.close();
    },
  };
}

async function stillOnTheirWay(database: Database, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('resources')
    .select('uid')
    .where(sql<boolean>`uid = any(${[...uids]}::uuid[])`)
    .where('status', '=', 'DEPLOYING')
    .where(isLive)
    .execute();
  return new Set(rows.map(({ uid }) => uid));
}
