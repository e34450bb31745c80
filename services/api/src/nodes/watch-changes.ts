// Wakes the stream of a runner when its instances may have changed. One database connection listens for all streams.
import { instancesChannel, listen } from '@berth/database';
import type { Logger } from '@berth/telemetry';

export interface ChangeWatch {
  /** True at the next change of the runner's instances, false after `maxMs`, because a notice may be lost. */
  next(runnerId: string, maxMs: number, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export function watchChanges(databaseUrl: string, logger: Logger): ChangeWatch {
  const waiting = new Map<string, Set<() => void>>();
  // Remembers changes that arrive between two waits of a stream.
  const changed = new Set<string>();
  const wake = (runnerId: string): void => {
    const waiters = waiting.get(runnerId);
    if (waiters === undefined) changed.add(runnerId);
    for (const resolve of waiters ?? []) resolve();
  };
  const listener = listen({
    url: databaseUrl,
    channel: instancesChannel,
    onNotification: (runnerId) => {
      if (runnerId !== '') wake(runnerId);
      else for (const each of [...waiting.keys()]) wake(each);
    },
    onError: (err) => logger.warn({ err }, 'listener for instances lost its connection; changes are found by polling'),
  });
  return {
    async next(runnerId, maxMs, signal) {
      if (changed.delete(runnerId)) return true;
      if (signal.aborted) return false;
      const waiters = waiting.get(runnerId) ?? new Set();
      waiting.set(runnerId, waiters);
      return new Promise<boolean>((resolve) => {
        const end = (isChange: boolean): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', giveUp);
          waiters.delete(onChange);
          if (waiters.size === 0) waiting.delete(runnerId);
          resolve(isChange);
        };
        const onChange = (): void => end(true);
        const giveUp = (): void => end(false);
        const timer = setTimeout(giveUp, maxMs);
        signal.addEventListener('abort', giveUp);
        waiters.add(onChange);
      });
    },
    close: () => listener.close(),
  };
}
