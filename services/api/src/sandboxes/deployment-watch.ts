// Tells those who wait for a resource when it is no longer on its way. One connection listens for all of them, and one
// statement looks for all of them: a thousand who wait cost what one costs.
import { type Database, listen, routesChannel } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import { isLive } from '../resources/terminated.ts';

export interface DeploymentWatch {
  /** True once its status is anything but DEPLOYING, or it has gone; false after `mostMs`, or when the signal says so. */
  settled(uid: string, mostMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends every wait, also those that begin later. */
  close(): Promise<void>;
}

/** A notice may be lost. */
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
    onNotice: (uid) => {
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
      // A request may come to its wait while the api stops, which would hold up the stop for as long as it waits.
      if (signal.aborted || isClosed) giveUp();
      // It may have come to rest before anybody listened.
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
