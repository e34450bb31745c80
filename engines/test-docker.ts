import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataDisk, mountDataDisk } from './data-disk.ts';
import { docker } from './docker.ts';
import { runFolder } from './run.ts';

/** Docker Engine for one test file. Declare it with `await using`, or dispose of it. */
export type TestDocker = AsyncDisposable & {
  url: string;
  dataFolder: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: its containers keep running. */
  kill(): Promise<void>;
};

/** Started only by files that need it (about a second), so that other tests do not pay for it. */
export async function startTestDocker(
  options: {
    netns?: string;
    gvisorLayerSize?: string;
    /** Separate file system for its data. */
    disk?: DataDisk;
  } = {},
): Promise<TestDocker> {
  const { disk, ...settings } = options;
  const dataFolder = await mkdtemp(join(await runFolder(), `${docker.name}-`));
  if (disk !== undefined) await mountDataDisk(dataFolder, disk);
  let running = await docker.start({ dataFolder, ...settings });
  return {
    url: running.url,
    dataFolder,
    async start() {
      running = await docker.start({ dataFolder, ...settings });
    },
    stop: () => docker.stop(dataFolder),
    async kill() {
      process.kill(running.pid, 'SIGKILL');
      while (await docker.ready(running.url)) await sleep(10);
    },
    async [Symbol.asyncDispose]() {
      await docker.stop(dataFolder);
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
