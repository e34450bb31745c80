// ClickHouse as one process on loopback, found by the data folder that it was started with. See clickhouse-server.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, RunningEngine, StartOptions } from './engine.ts';
import { freePort } from './free-port.ts';
import { endProcesses, processesWhere } from './processes.ts';
import { runEnvironment } from './run.ts';

const PROGRAM = join(import.meta.dirname, 'clickhouse-server.ts');
const START_TIMEOUT_SECONDS = 30;
const STOP_TIMEOUT_SECONDS = 30;

export const clickhouse = {
  name: 'clickhouse',

  async install() {
    createRequire(import.meta.url).resolve('chdb');
  },

  async start(options: StartOptions): Promise<RunningEngine> {
    const [pid] = await runningOn(options.dataFolder);
    // The engine would refuse too, by its lock, but the process that holds the lock would answer for the new one.
    if (pid !== undefined) throw new Error(`ClickHouse runs on this data already (process ${pid}). Stop that first.`);
    return launch(options.dataFolder, await preparePort(options));
  },

  async ready(url: string) {
    try {
      const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(2_000) });
      return (await response.text()) === 'Ok.\n';
    } catch {
      return false;
    }
  },

  async stop(dataFolder: string) {
    await endProcesses(await runningOn(dataFolder), 'SIGTERM', STOP_TIMEOUT_SECONDS);
  },
} satisfies Engine;

const dataOf = (dataFolder: string): string => join(dataFolder, 'data');

const runningOn = (dataFolder: string): Promise<number[]> =>
  // Whichever clone started it: the data is what matters, and another clone may have to end what one left behind.
  processesWhere(
    (words) => words.some((word) => basename(word) === basename(PROGRAM)) && words.includes(dataOf(dataFolder)),
  );

/** Written on a data folder's first start, so that a later start has the same address. */
async function preparePort({ dataFolder, port }: StartOptions): Promise<string> {
  const file = join(dataFolder, 'port');
  if (!existsSync(file)) {
    await mkdir(dataFolder, { recursive: true });
    await writeFile(file, String(port ?? (await freePort())));
  }
  return readFile(file, 'utf8');
}

async function launch(dataFolder: string, port: string): Promise<RunningEngine> {
  const logFile = join(dataFolder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(process.execPath, [PROGRAM, dataOf(dataFolder), port], {
    cwd: dataFolder,
    // Times without a zone mean UTC, wherever the machine stands.
    env: { TZ: 'UTC', ...runEnvironment() },
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.on('error', () => {});
  child.unref();
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + START_TIMEOUT_SECONDS * 1_000;
  while (!(await clickhouse.ready(url))) {
    if (hasEnded(child) || Date.now() > deadline) {
      throw new Error(
        `ClickHouse did not start. Its log ends with:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`,
      );
    }
    await sleep(25);
  }
  return { url, pid: child.pid ?? 0, stop: () => clickhouse.stop(dataFolder) };
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;
