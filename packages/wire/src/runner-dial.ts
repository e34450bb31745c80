// One TLS connection to a runner: it proves to be that runner, and whoever calls proves its role, by certificates of one authority.
import { once } from 'node:events';
import { connect as startTls, type TLSSocket } from 'node:tls';
import { ingressServerName, type LineRequest, TunnelAnswer } from '@berth/contract';
import { Bundle } from './bundle.ts';
import type { Shown } from './credentials.ts';
import { NotDispatched, RunnerAway } from './not-dispatched.ts';
import { parseLine } from './parse-line.ts';
import { readLine } from './read-line.ts';
import { TlsSessions } from './tls-sessions.ts';

/** How a runner is reached in its present session. */
export interface Ingress {
  readonly address: string;
  /** Of a runner of the release before, which knows no certificates of callers. */
  readonly secret?: string | undefined;
}

export interface RunnerDialOptions {
  readonly answerMs: number;
}

const mostAnswerBytes = 4_096;

export class RunnerDial {
  readonly #options: RunnerDialOptions;
  readonly #sessions = new TlsSessions();
  readonly #opening = new Set<TLSSocket>();

  constructor(options: RunnerDialOptions) {
    this.#options = options;
  }

  /** Throws `NotDispatched` when the runner says no. */
  async open(runnerId: string, ingress: Ingress, shown: Shown): Promise<Bundle> {
    const servername = ingressServerName(runnerId);
    // Who resumes a session is known by the certificate that it began with.
    const sessionKey = `${servername} ${shown.id}`;
    const socket = this.#start(servername, ingress.address, shown, sessionKey);
    const timer = setTimeout(
      () => socket.destroy(new Error('the runner did not answer in time')),
      this.#options.answerMs,
    );
    this.#opening.add(socket);
    try {
      // Whatever is said is for a runner that has proven to be one.
      await once(socket, 'secureConnect');
      socket.on('error', () => {});
      socket.write(`${JSON.stringify({ secret: ingress.secret } satisfies LineRequest)}\n`);
      const said = parseLine(await readLine(socket, mostAnswerBytes), TunnelAnswer)?.tunnel;
      if (said === 'open') return new Bundle(socket);
      if (said === 'leaving') throw new RunnerAway({});
      throw new NotDispatched(said ?? 'unreachable', `the runner says ${said ?? 'nothing of use'}`, {
        cause: socket.errored,
      });
    } catch (cause) {
      // An error that nobody waits for any more must not end the process.
      socket.on('error', () => {}).destroy();
      if (!(cause instanceof NotDispatched)) this.#sessions.forget(sessionKey);
      throw cause;
    } finally {
      this.#opening.delete(socket);
      clearTimeout(timer);
    }
  }

  close(): void {
    for (const socket of this.#opening) socket.destroy(new Error('whoever called stops'));
  }

  #start(servername: string, address: string, { context }: Shown, sessionKey: string): TLSSocket {
    const session = this.#sessions.get(sessionKey);
    const socket = startTls({
      ...placeOf(address),
      servername,
      secureContext: context,
      minVersion: 'TLSv1.3',
      ...(session === undefined ? {} : { session }),
    });
    socket.setNoDelay(true).setKeepAlive(true, 30_000);
    this.#sessions.learnFrom(socket, sessionKey);
    return socket;
  }
}

/** `host:port`, where the host may be an IPv6 address in brackets. */
function placeOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(at + 1)) };
}
