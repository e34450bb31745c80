import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, openSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Engine, RunningEngine, StartOptions } from './engine.ts';
import { freePort } from './free-port.ts';
import { binFolder, chosenVersion, type PostgresVersion } from './postgres-binaries.ts';
import { unprivilegedAccount } from './unprivileged-account.ts';

const databaseUser = 'berth';
const startTimeoutSeconds = 60;
const stopTimeoutSeconds = 30;

const fastSettings = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'];
// PostgreSQL switches a prepared statement to a generic plan (without its parameters) only after some runs, and the
// statement may fail or become slow only then. Tests use the generic plan from the first run on.
const strictSettings = ['plan_cache_mode=force_generic_plan'];

/** For tests that need a certain version. Only that of Debian comes with client programs such as pg_dump. */
export const postgresOf = (version: () => PostgresVersion): Engine => ({
  name: 'postgres',

  async install() {
    await binFolder(version());
  },

  async start(options) {
    const bin = await binFolder(version());
    const password = await prepareCluster(bin, options);
    return launch(bin, password, options);
  },

  async ready(url) {
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
  async stop(dataFolder) {
    const pidFile = join(dataFolder, 'cluster', 'postmaster.pid');
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
});

export const postgres = postgresOf(chosenVersion);

/** After a crash the pid file may name the pid of another process. */
async function runsOn(pid: number, dataFolder: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(join(dataFolder, 'cluster'));
}

/** Runs initdb once per data folder and returns the superuser's password, which is stored beside the cluster. */
async function prepareCluster(bin: string, { dataFolder, durable = true }: StartOptions): Promise<string> {
  const account = unprivilegedAccount();
  const passwordFile = join(dataFolder, 'password');
  if (existsSync(join(dataFolder, 'cluster', 'PG_VERSION'))) return readFile(passwordFile, 'utf8');

  await mkdir(dataFolder, { recursive: true });
  const password = randomBytes(18).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account) {
    await chown(dataFolder, account.uid, account.gid);
    await chown(passwordFile, account.uid, account.gid);
  }
  const settings = ['--encoding=UTF8', '--locale=C.UTF-8', '--auth=scram-sha-256', `--username=${databaseUser}`];
  const result = spawnSync(
    join(bin, 'initdb'),
    [...settings, `--pwfile=${passwordFile}`, ...(durable ? [] : ['--no-sync']), '-D', join(dataFolder, 'cluster')],
    { ...account, cwd: dataFolder, encoding: 'utf8' },
  );
  if (result.status !== 0) {
    throw new Error(`initdb failed in ${dataFolder}: ${result.error?.message ?? result.stderr}`);
  }
  return password;
}

async function launch(bin: string, password: string, options: StartOptions): Promise<RunningEngine> {
  const { dataFolder, durable = true } = options;
  const port = options.port ?? (await freePort());
  const settings = [
    'listen_addresses=127.0.0.1',
    // For processes in another network namespace, which cannot reach this machine's loopback.
    `unix_socket_directories=${socketFolder(dataFolder, port)}`,
    'max_connections=200',
    ...(durable ? [] : [...fastSettings, ...strictSettings]),
  ];
  const logFile = join(dataFolder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', join(dataFolder, 'cluster'), '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
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
