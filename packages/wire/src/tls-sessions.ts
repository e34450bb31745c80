import type { TLSSocket } from 'node:tls';

const maxSessions = 1_000;

/** The last TLS session with every runner: resuming it skips the certificates and costs a tenth of a full handshake. */
export class TlsSessions {
  readonly #last = new Map<string, Buffer>();

  get(key: string): Buffer | undefined {
    return this.#last.get(key);
  }

  learnFrom(socket: TLSSocket, key: string): void {
    socket.on('session', (session) => {
      this.#last.delete(key);
      this.#last.set(key, session);
      const [oldest] = this.#last.keys();
      if (this.#last.size > maxSessions && oldest !== undefined) this.#last.delete(oldest);
    });
  }

  /** After a failure: the runner may have another key by now. */
  forget(key: string): void {
    this.#last.delete(key);
  }
}
