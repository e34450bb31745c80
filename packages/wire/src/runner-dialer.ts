// One TLS connection to a runner. Both sides show certificates of one authority: the runner
// proves its id, the caller its role.
import { once } from 'node:events';
import { connect as startTls, type TLSSocket } from 'node:tls';
import {
  agreeOn,
  type ConnectionRequest,
  ingressServerName,
  inWords,
  TunnelAnswer,
  unnamedWireProtocol,
  wireProtocol,
} from '@berth/contract/node';
import { Bundle } from './bundle.ts';
import type { ClientCertificate } from './credentials.ts';
import { NotDispatched, RunnerAway } from './not-dispatched.ts';
import { parseLine } from './parse-line.ts';
import { readLine } from './read-line.ts';
import { TlsSessions } from './tls-sessions.ts';

/** Ingress of a runner in its current session. */
export interface Ingress {
  readonly address: string;
  /** Set by runners of the previous release, which do not check the caller's certificate. */
  readonly secret?: string | undefined;
}

export interface RunnerDialerOptions {
  readonly answerMs: number;
}

const maxAnswerBytes = 4_096;

export class RunnerDialer {
  readonly #options: RunnerDialerOptions;
  readonly #sessions = new TlsSessions();
  readonly #opening = new Set<TLSSocket>();

  constructor(options: RunnerDialerOptions) {
    this.#options = options;
  }

  /** Throws `NotDispatched` when the runner refuses. */
  async open(runnerId: string, ingress: Ingress, certificate: ClientCertificate): Promise<Bundle> {
    const servername = ingressServerName(runnerId);
    // A resumed session keeps the identity of the certificate it started with, so the key
    // includes our certificate's id.
    const sessionKey = `${servername} ${certificate.id}`;
    const socket = this.#start(servername, ingress.address, certificate, sessionKey);
    const timer = setTimeout(
      () => socket.destroy(new Error('the runner did not answer in time')),
      this.#options.answerMs,
    );
    this.#opening.add(socket);
    try {
      // Send nothing before the runner's certificate is verified.
      await once(socket, 'secureConnect');
      socket.on('error', () => {});
      const request = { secret: ingress.secret, protocol: wireProtocol } satisfies ConnectionRequest;
      socket.write(`${JSON.stringify(request)}\n`);
      const said = parseLine(await readLine(socket, maxAnswerBytes), TunnelAnswer);
      if (said !== undefined) requireCommonProtocol(said);
      const answer = said?.tunnel;
      if (answer === 'open') return new Bundle(socket);
      if (answer === 'leaving') throw new RunnerAway({});
      throw new NotDispatched(answer ?? 'unreachable', `the runner says ${answer ?? 'nothing of use'}`, {
        cause: socket.errored,
      });
    } catch (cause) {
      // A late error without a listener would end the process.
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

  #start(servername: string, address: string, { context }: ClientCertificate, sessionKey: string): TLSSocket {
    const session = this.#sessions.get(sessionKey);
    const socket = startTls({
      ...endpointOf(address),
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

function requireCommonProtocol({ protocol = unnamedWireProtocol }: TunnelAnswer): void {
  if (agreeOn(wireProtocol, protocol) !== undefined) return;
  const [ours, theirs] = [inWords(wireProtocol), inWords(protocol)];
  throw new NotDispatched(
    'refused',
    `this server speaks wire protocol ${ours}, the runner ${theirs}; upgrade the older of the two: berth-server upgrade ARCHIVE`,
  );
}

/** `host:port`, where the host may be an IPv6 address in brackets. */
function endpointOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[(.*)\]$/, '$1'), port: Number(address.slice(at + 1)) };
}
