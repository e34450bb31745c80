import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickhouse } from './clickhouse.ts';
import { isAlive } from './is-alive.ts';
import { memoryFolder } from './memory-folder.ts';

/** ClickHouse for one test file, always at the same address. Declare it with `await using`, or dispose of it. */
export type TestClickhouse = AsyncDisposable & {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: nothing is flushed or handed over. */
  kill(): Promise<void>;
};

/** Started only by files that need it (under a second), so that other tests do not pay for it. */
export async function startTestClickhouse(): Promise<TestClickhouse> {
  const dataFolder = await mkdtemp(join(await memoryFolder(), `${clickhouse.name}-`));
  let running = await clickhouse.start({ dataFolder });
  return {
    url: running.url,
    async start() {
      running = await clickhouse.start({ dataFolder });
    },
    stop: () => clickhouse.stop(dataFolder),
    async kill() {
      process.kill(running.pid, 'SIGKILL');
      // The next process needs the port and the lock on the data, which are released when this process ends.
      while (isAlive(running.pid)) await sleep(5);
    },
    async [Symbol.asyncDispose]() {
      await clickhouse.stop(dataFolder);
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
