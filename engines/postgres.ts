import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Engine, RunningEngine, StartOptions } from './engine.ts';
import { freePort } from './free-port.ts';
import { binFolder, chosenVersion, type PostgresVersion } from './postgres-binaries.ts';
import { clusterOf, databaseUser, prepareCluster } from './postgres-cluster.ts';
import { unprivilegedAccount } from './unprivileged-account.ts';

const startTimeoutSeconds = 60;
const stopTimeoutSeconds = 30;

const fastSettings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
// PostgreSQL switches a prepared statement to a generic plan (without its parameters) only after some runs, and the
// statement may fail or become slow only then. Tests use the generic plan from the first run on.
const strictSettings = ['plan_cache_mode=force_generic_plan'];

export type PostgresOptions = StartOptions & {
  /** File with settings, in place of those that tests and development have. */
  settingsFile?: string;
};

/** For tests that need a certain version. Only that of Debian comes with client programs such as pg_dump. */
export const postgresOf = (version: () => PostgresVersion) =>
  ({
    name: 'postgres',

    async install() {
      await binFolder(version());
    },

    async start(options: PostgresOptions) {
      const bin = await binFolder(version());
      const password = await prepareCluster(bin, options.dataFolder);
      return launch(bin, password, options);
    },

    async ready(url: string) {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query('select 1');
        return true;
      } catch {
        return false;
      } finally {
        await client.end().catch(() => {});
      }
    },

    // The cluster's own pid file names the process, and disappears when it has ended.
    async stop(dataFolder: string) {
      const pidFile = join(clusterOf(dataFolder), 'postmaster.pid');
      if (!existsSync(pidFile)) return;
      const pid = Number((await readFile(pidFile, 'utf8')).split('\n')[0]);
      if (!(await runsOn(pid, dataFolder))) return;
      process.kill(pid, 'SIGINT');
      const deadline = Date.now() + stopTimeoutSeconds * 1_000;
      while (existsSync(pidFile)) {
        if (Date.now() > deadline) throw new Error(`PostgreSQL (process ${pid}) did not stop within its deadline.`);
        await sleep(20);
      }
    },
  }) satisfies Engine;

export const postgres = postgresOf(chosenVersion);

/** After a crash the pid file may name the pid of another process. */
async function runsOn(pid: number, dataFolder: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(clusterOf(dataFolder));
}

async function launch(bin: string, password: string, options: PostgresOptions): Promise<RunningEngine> {
  const { dataFolder, durable = true, settingsFile } = options;
  const port = options.port ?? (await freePort());
  const settings = [
    'listen_addresses=127.0.0.1',
    // For processes in another network namespace, which cannot reach this machine's loopback.
    `unix_socket_directories=${socketFolder(dataFolder, port)}`,
    settingsFile === undefined ? 'max_connections=200' : `config_file=${settingsFile}`,
    ...(durable ? [] : [...fastSettings, ...strictSettings]),
  ];
  const logFile = join(dataFolder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', clusterOf(dataFolder), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    { ...unprivilegedAccount(), cwd: dataFolder, stdio: ['ignore', log, log], detached: true },
  );
  child.on('error', () => {});
  child.unref();

  const url = `postgres://${databaseUser}:${password}@127.0.0.1:${port}/postgres`;
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
  while (!(await postgres.ready(url))) {
    if (child.pid === undefined || child.exitCode !== null || Date.now() > deadline) {
      throw new Error(
        `PostgreSQL did not start. Its log ends with:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`,
      );
    }
    await sleep(25);
  }
  return { url, pid: child.pid ?? 0, stop: () => postgres.stop(dataFolder) };
}

/** Empty (no socket) where the path is longer than the system allows. */
function socketFolder(dataFolder: string, port: number): string {
  return Buffer.byteLength(join(dataFolder, `.s.PGSQL.${port}`)) < 108 ? dataFolder : '';
}
