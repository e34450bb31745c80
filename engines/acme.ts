// An authority for certificates as on the internet (ACME): Debian's pebble, at one end of a wire, with a name server that gives every
// name the same address.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { requireDebianPackages } from './debian-packages.ts';
import type { Installable } from './engine.ts';
import { freePort } from './free-port.ts';
import { runEnvironment, runFolder } from './run.ts';

const programs = { acme: '/usr/bin/pebble', names: '/usr/bin/pebble-challtestsrv' };
const startTimeoutSeconds = 30;

export const pebble: Installable = {
  name: 'pebble',
  async install() {
    requireDebianPackages('pebble', ['pebble'], Object.values(programs));
  },
};

export interface AcmeOptions {
  /** Unique within the run. */
  readonly name: string;
  /** Address of this machine to listen on. */
  readonly host: string;
  /** Address of every name. */
  readonly target: string;
}

export class AcmeServer implements AsyncDisposable {
  /** Address for clients. */
  readonly url: string;
  /**
   * Folder with `roots.pem`: the authorities of the server's own address and of the certificates that it issues, as a private
   * authority has them in one file.
   */
  readonly folder: string;
  readonly #processes: readonly ChildProcess[];

  private constructor(url: string, folder: string, processes: readonly ChildProcess[]) {
    this.url = url;
    this.folder = folder;
    this.#processes = processes;
  }

  /** Known before the server starts. */
  static folder(name: string): Promise<string> {
    return runFolder(`acme-${name}`);
  }

  static async start({ name, host, target }: AcmeOptions): Promise<AcmeServer> {
    await pebble.install();
    const folder = await AcmeServer.folder(name);
    const [acme, management, names, control] = [await freePort(), await freePort(), await freePort(), await freePort()];
    makeCertificate(folder, host);
    const settings = {
      ...{ listenAddress: `${host}:${acme}`, managementListenAddress: `${host}:${management}` },
      ...{ certificate: join(folder, 'acme.pem'), privateKey: join(folder, 'acme-key.pem') },
      ...{ httpPort: 80, tlsPort: 443 },
    };
    await writeFile(join(folder, 'pebble.json'), JSON.stringify({ pebble: settings }));
    const log = openSync(join(folder, 'log'), 'a');
    const start = (program: string, ...words: string[]): ChildProcess =>
      spawn(program, words, {
        cwd: folder,
        // Without pauses, and without errors on purpose, which clients have to repeat.
        env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', ...runEnvironment() },
        stdio: ['ignore', log, log],
      });
    const server = new AcmeServer(`https://${host}:${acme}/dir`, folder, [
      start(
        programs.names,
        ...[
          '-defaultIPv4',
          target,
          '-defaultIPv6',
          '',
          '-dns01',
          `${host}:${names}`,
          '-management',
          `${host}:${control}`,
        ],
        ...['-http01', '', '-https01', '', '-tlsalpn01', ''],
      ),
      start(programs.acme, '-config', join(folder, 'pebble.json'), '-dnsserver', `${host}:${names}`),
    ]);
    try {
      const issuer = await server.#fetch(`https://${host}:${management}/roots/0`);
      await writeFile(join(folder, 'roots.pem'), `${await readFile(join(folder, 'acme.pem'), 'utf8')}${issuer}`);
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Repeated until the server answers. */
  async #fetch(url: string): Promise<string> {
    const agent = new Agent({ ca: await readFile(join(this.folder, 'acme.pem')) });
    const giveUpAt = Date.now() + startTimeoutSeconds * 1_000;
    for (;;) {
      try {
        const request = get(url, { agent });
        const [response] = await once(request, 'response');
        return await text(response);
      } catch (error) {
        const ended = this.#processes.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
        if (ended || Date.now() > giveUpAt)
          throw new Error(`pebble did not start. It printed:\n${await readFile(join(this.folder, 'log'), 'utf8')}`, {
            cause: error,
          });
        await sleep(50);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#processes) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }
}

function makeCertificate(folder: string, host: string): void {
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
      ...['-keyout', join(folder, 'acme-key.pem'), '-out', join(folder, 'acme.pem')],
      ...['-subj', '/CN=acme of a test', '-addext', `subjectAltName=IP:${host}`],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
}
