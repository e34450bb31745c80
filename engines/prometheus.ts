// Prometheus and promtool of Debian. The package is unpacked and not installed: its installation would start a server of its own.
import { type ExecFileSyncOptions, execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installable, RunningEngine } from './engine.ts';
import { engineFolder } from './folders.ts';
import { freePort } from './free-port.ts';
import { endProcesses } from './processes.ts';
import { runEnvironment } from './run.ts';

const startTimeoutSeconds = 60;
const stopTimeoutSeconds = 10;

export const prometheus: Installable = {
  name: 'prometheus',

  async install() {
    const root = await programFolder();
    if (existsSync(root)) return;
    const staging = await mkdtemp(`${root}-`);
    const apt: ExecFileSyncOptions = { cwd: staging, stdio: ['ignore', 'ignore', 'inherit'] };
    try {
      if (process.getuid?.() === 0) execFileSync('apt-get', ['update', '-qq'], apt);
      // As root: the account that apt downloads with may not write here.
      execFileSync('apt-get', ['download', '-qq', '-o', 'APT::Sandbox::User=root', 'prometheus'], apt);
      const [file = ''] = await readdir(staging);
      execFileSync('dpkg-deb', ['-x', file, 'root'], apt);
      await rename(join(staging, 'root'), root);
    } finally {
      await rm(staging, { recursive: true, force: true });
    }
  },
};

const programFolder = async (): Promise<string> => join(await engineFolder('prometheus'), 'bookworm');

export const promtool = async (): Promise<string> => join(await programFolder(), 'usr/bin/promtool');

/** Starts Prometheus on a folder with its `prometheus.yaml`; the folder belongs to this run. */
export async function startPrometheus(folder: string): Promise<RunningEngine> {
  await prometheus.install();
  await mkdir(folder, { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const logFile = join(folder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(
    join(await programFolder(), 'usr/bin/prometheus'),
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    { cwd: folder, env: runEnvironment(), stdio: ['ignore', log, log], detached: true },
  );
  child.on('error', () => {});
  child.unref();
  const pid = child.pid ?? 0;
  const url = `http://${address}`;
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
  while (!(await isReady(url))) {
    if (child.pid === undefined || child.exitCode !== null || Date.now() > deadline)
      throw new Error(
        `Prometheus did not start. Its log ends with:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`,
      );
    await sleep(25);
  }
  return { url, pid, stop: () => endProcesses([pid], 'SIGTERM', stopTimeoutSeconds) };
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}
