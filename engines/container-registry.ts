// Container registry on loopback, where Docker needs no TLS. By default it requires the name and password in its `url`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, openSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import { requireDebianPackages } from './debian-packages.ts';
import type { Engine, RunningEngine, StartOptions } from './engine.ts';
import { freePort } from './free-port.ts';
import { endProcesses, processesWhere } from './processes.ts';
import { runEnvironment } from './run.ts';
import { unprivilegedAccount } from './unprivileged-account.ts';

const program = '/usr/bin/docker-registry';
const htpasswdProgram = '/usr/bin/htpasswd';
const username = 'berth';
const startTimeoutSeconds = 30;
const stopTimeoutSeconds = 10;

export type ContainerRegistryOptions = StartOptions & {
  /** Allows every process on this machine to pull and push. */
  open?: boolean;
  /** Address to listen on; loopback by default. */
  host?: string;
};

export const containerRegistry = {
  name: 'container-registry',

  async install() {
    requireDebianPackages('The container registry', ['docker-registry', 'apache2-utils'], [program, htpasswdProgram]);
  },

  async start(options: ContainerRegistryOptions): Promise<RunningEngine> {
    await containerRegistry.install();
    if (!existsSync(urlFile(options.dataFolder))) await prepare(options);
    return launch(options.dataFolder, await readFile(urlFile(options.dataFolder), 'utf8'));
  },

  async ready(url: string) {
    const { username, password, origin } = new URL(url);
    const headers = { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
    try {
      const response = await fetch(`${origin}/v2/`, { headers, signal: AbortSignal.timeout(2_000) });
      return response.ok;
    } catch {
      return false;
    }
  },

  async stop(dataFolder: string) {
    const pids = await processesWhere((words) => words.includes(configFile(dataFolder)));
    await endProcesses(pids, 'SIGTERM', stopTimeoutSeconds);
  },
} satisfies Engine;

const configFile = (dataFolder: string): string => join(dataFolder, 'registry.yaml');
const urlFile = (dataFolder: string): string => join(dataFolder, 'address');

/** Runs once per data folder: a restart has the same port and password. */
async function prepare({
  dataFolder,
  port,
  open = false,
  host = '127.0.0.1',
}: ContainerRegistryOptions): Promise<void> {
  const images = join(dataFolder, 'images');
  const passwords = join(dataFolder, 'htpasswd');
  await mkdir(images, { recursive: true });
  const password = randomBytes(18).toString('base64url');
  await writeFile(passwords, execFileSync(htpasswdProgram, ['-niB', username], { input: password }), { mode: 0o600 });
  const address = `${host}:${port ?? (await freePort(host))}`;
  const config = {
    version: 0.1,
    log: { level: 'warn', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: images }, delete: { enabled: true } },
    http: { addr: address, secret: randomBytes(18).toString('base64url') },
    ...(open ? {} : { auth: { htpasswd: { realm: 'Berth', path: passwords } } }),
  };
  await writeFile(configFile(dataFolder), stringify(config), { mode: 0o600 });
  const account = unprivilegedAccount();
  if (account) {
    for (const path of [dataFolder, images, passwords, configFile(dataFolder)])
      await chown(path, account.uid, account.gid);
  }
  await writeFile(urlFile(dataFolder), `http://${open ? '' : `${username}:${password}@`}${address}`, { mode: 0o600 });
}

async function launch(dataFolder: string, url: string): Promise<RunningEngine> {
  const logFile = join(dataFolder, 'log');
  const log = openSync(logFile, 'a', 0o644);
  const child = spawn(program, ['serve', configFile(dataFolder)], {
    ...unprivilegedAccount(),
    cwd: dataFolder,
    env: { OTEL_TRACES_EXPORTER: 'none', ...runEnvironment() },
    stdio: ['ignore', log, log],
    detached: true,
  });
  child.on('error', () => {});
  child.unref();
  const deadline = Date.now() + startTimeoutSeconds * 1_000;
  while (!(await containerRegistry.ready(url))) {
    if (hasEnded(child) || Date.now() > deadline) {
      const end = (await readFile(logFile, 'utf8')).slice(-2_000);
      throw new Error(`The container registry did not start. Its log ends with:\n${end}`);
    }
    await sleep(25);
  }
  return { url, pid: child.pid ?? 0, stop: () => containerRegistry.stop(dataFolder) };
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;
