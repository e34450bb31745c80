// ClickHouse as one process on loopback, identified by the data folder that it was started with. See
// clickhouse-server.ts.
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

const program = join(import.meta.dirname, 'clickhouse-server.ts');
const startTimeoutSeconds = 30;
const stopTimeoutSeconds = 30;

export const clickhouse = {
  name: 'clickhouse',

  async install() {
    createRequire(import.meta.url).resolve('chdb');
  },

  async start(options: StartOptions): Promise<RunningEngine> {
    const [pid] = await runningOn(options.dataFolder);
    // The engine's lock would refuse too, but then the process that holds the lock would pass the readiness check of
    // the new one.
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
    await endProcesses(await runningOn(dataFolder), 'SIGTERM', stopTimeoutSeconds);
  },
} satisfies Engine;

const dataOf = (dataFolder: string): string => join(dataFolder, 'data');

const runningOn = (dataFolder: string): Promise<number[]> =>
  // Matches processes of every clone: only the data folder counts, and one clone may have to end a process that another
  // left.
  processesWhere(
    (words) => words.some((word) => basename(word) === basename(program)) && words.includes(dataOf(dataFolder)),
  );

/** Port written on the first start of a data folder, so that later starts have the same address. */
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
  const child = spawn(process.execPath, [program, dataOf(dataFolder), port], {
    cwd: dataFolder,
    // Times without a zone mean UTC, in any time zone of the machine.
    env: { TZ: 'UTC', ...runEnvironment() },
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.on('error', () => {});
  child.unref();
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
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
