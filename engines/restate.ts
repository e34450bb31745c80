// Restate as one process: ingress (`url`), admin and node port, all on loopback. It needs no separate account.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, RunningEngine, StartOptions } from './engine.ts';
import { configFile, prepareConfig, type RestateAddresses, type RestateOptions } from './restate-config.ts';
import { runEnvironment } from './run.ts';

const startTimeoutSeconds = 60;
const stopTimeoutSeconds = 30;

export type RunningRestate = RunningEngine & RestateAddresses;

export const restate = {
  name: 'restate',

  async install() {
    await access(restateProgram());
  },

  async start(options: RestateOptions): Promise<RunningRestate> {
    return launch(options, await prepareConfig(options));
  },

  ready: (url: string) => answers(`${url}/restate/health`),

  // Restate keeps no pid file, so the process is found by the config file that it was started with.
  async stop(dataFolder: string) {
    const pid = await runningPid(dataFolder);
    if (pid === undefined) return;
    process.kill(pid, 'SIGTERM');
    const deadline = Date.now() + stopTimeoutSeconds * 1_000;
    while (await runsOn(pid, dataFolder)) {
      if (Date.now() > deadline) throw new Error(`Restate (process ${pid}) did not stop within its deadline.`);
      await sleep(10);
    }
  },
} satisfies Engine;

/** The package's own program only wraps this binary, and would not pass on a SIGKILL. */
export function restateProgram(): string {
  const wrapper = createRequire(import.meta.url).resolve('@restatedev/restate-server/package.json');
  return createRequire(wrapper).resolve('@restatedev/restate-server-linux-x64/bin/restate-server');
}

async function launch({ dataFolder }: StartOptions, addresses: RestateAddresses): Promise<RunningRestate> {
  const logFile = join(dataFolder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(
    restateProgram(),
    ['--no-logo', '--config-file', configFile(dataFolder), '--base-dir', join(dataFolder, 'data')],
    {
      cwd: dataFolder,
      // A killed Restate leaves its temporary folders behind; here they are removed with the data.
      env: { DO_NOT_TRACK: '1', TMPDIR: dataFolder, ...runEnvironment() },
      stdio: ['ignore', log, log],
      detached: true,
    },
  );
  child.on('error', () => {});
  child.unref();
  const { ingressUrl, adminUrl } = addresses;
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
  while (!((await restate.ready(ingressUrl)) && (await answers(`${adminUrl}/health`)))) {
    if (hasEnded(child) || Date.now() > deadline) {
      throw new Error(`Restate did not start. Its log ends with:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
    }
    await sleep(25);
  }
  return { url: ingressUrl, ingressUrl, adminUrl, pid: child.pid ?? 0, stop: () => restate.stop(dataFolder) };
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function runningPid(dataFolder: string): Promise<number | undefined> {
  for (const name of await readdir('/proc')) {
    if (/^\d+$/.test(name) && (await runsOn(Number(name), dataFolder))) return Number(name);
  }
  return undefined;
}

async function runsOn(pid: number, dataFolder: string): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return commandLine.split('\0').includes(configFile(dataFolder));
}
