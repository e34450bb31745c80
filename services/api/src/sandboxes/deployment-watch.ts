// Notifies waiting requests when a resource is no longer DEPLOYING. One connection listens and one statement polls for
// all of them, so a thousand waiting requests cost as much as one.
import { type Database, listen, routesChannel } from '@berth/database';
import type { Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import { isLive } from '../resources/terminated.ts';

export interface DeploymentWatch {
  /** True once the status is not DEPLOYING or the resource is gone; false after `maxMs` or when the signal aborts. */
  waitUntilDeployed(uid: string, maxMs: number, signal: AbortSignal): Promise<boolean>;
  /** Ends every wait, including waits that begin later. */
  close(): Promise<void>;
}

/** Poll interval, because a notice may be lost. */
const pollMs = 1_000;

export interface DeploymentWatchOptions {
  readonly database: Database;
  readonly databaseUrl: string;
  readonly logger: Logger;
}

export function watchDeployments({ database, databaseUrl, logger }: DeploymentWatchOptions): DeploymentWatch {
  const waiting = new Map<string, Set<(isDeployed: boolean) => void>>();
  let isClosed = false;

  const poll = (uids: readonly string[]): void => {
    if (uids.length === 0) return;
    stillDeploying(database, uids).then(
      (busy) => {
        for (const uid of uids) if (!busy.has(uid)) for (const end of waiting.get(uid) ?? []) end(true);
      },
      (err: unknown) =>
        logger.warn({ err }, 'deployment poll failed; waiting requests are answered after the next poll'),
    );
  };
  const listener = listen({
    url: databaseUrl,
    channel: routesChannel,
    onNotification: (uid) => {
      if (uid === '') poll([...waiting.keys()]);
      else if (waiting.has(uid)) poll([uid]);
    },
    onError: (err) =>
      logger.warn({ err }, 'listener for deployments lost its connection; deployments are found by polling'),
  });
  const polling = setInterval(() => poll([...waiting.keys()]), pollMs).unref();

  return {
    waitUntilDeployed(uid, maxMs, signal) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const waiters = waiting.get(uid) ?? new Set();
      waiting.set(uid, waiters);
      const giveUp = (): void => end(false);
      const timer = setTimeout(giveUp, maxMs);
      const end = (isDeployed: boolean): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        waiters.delete(end);
        if (waiters.size === 0) waiting.delete(uid);
        resolve(isDeployed);
      };
      waiters.add(end);
      signal.addEventListener('abort', giveUp);
      // A request may begin to wait while the api stops; its wait would delay the stop.
      if (signal.aborted || isClosed) giveUp();
      // The resource may have been deployed before the wait was registered.
      else poll([uid]);
      return promise;
    },
    async close() {
      isClosed = true;
      clearInterval(polling);
      for (const waiters of [...waiting.values()]) for (const end of [...waiters]) end(false);
      await listener.close();
    },
  };
}

async function stillDeploying(database: Database, uids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom('resources')
    .select('uid')
    .where(sql<boolean>`uid = any(${[...uids]}::uuid[])`)
    .where('status', '=', 'DEPLOYING')
    .where(isLive)
    .execute();
  return new Set(rows.map(({ uid }) => uid));
}
