// A few connections to every runner, each of which carries many tunnels. Several, because each ends in one of the
// processes of the runner's ingress, and with few connections chance loads the processes unevenly.
import type { Logger } from '@berth/telemetry';
import type { Bundle } from './bundle.ts';
import type { ClientCertificate, Credentials } from './credentials.ts';
import { NotDispatched, RunnerAway } from './not-dispatched.ts';
import { type Ingress, RunnerDialer } from './runner-dialer.ts';

export interface RunnerEndpoint {
  readonly runnerId: string;
  readonly ingress: Ingress | undefined;
}

export interface RunnerConnectionsOptions {
  readonly credentials: Credentials;
  readonly answerMs: number;
  readonly refusedMs: number;
  readonly logger: Logger;
}

const connectionsPerRunner = 4;
/** Interval of the idle check. A connection without tunnels at two checks in a row is closed. */
const idleCheckMs = 30_000;

interface ConnectionSlot {
  bundle: Bundle | undefined;
  opening: Promise<Bundle> | undefined;
  /** Number of tunnels that wait for the connection to open. */
  waiting: number;
  wasIdle: boolean;
}

export class RunnerConnections {
  readonly #dialer: RunnerDialer;
  readonly #credentials: Credentials;
  readonly #refusedMs: number;
  /** Time of the last refused connection, by address. */
  readonly #refusals = new Map<string, number>();
  /** Runners already logged as unreachable: later failures, one for each waiting request, are logged at debug. */
  readonly #unreachable = new Set<string>();
  /** True while there is no certificate: only the first failure is logged as a warning. */
  #lacksCertificate = false;
  readonly #logger: Logger;
  readonly #slots = new Map<string, readonly ConnectionSlot[]>();
  readonly #idleCheck: NodeJS.Timeout;

  constructor(options: RunnerConnectionsOptions) {
    const { credentials, answerMs, refusedMs, logger } = options;
    this.#dialer = new RunnerDialer({ answerMs });
    this.#credentials = credentials;
    this.#refusedMs = refusedMs;
    this.#logger = logger;
    this.#idleCheck = setInterval(() => this.#closeIdle(), idleCheckMs).unref();
  }

  /** The connection with the fewest tunnels. */
  async connectionTo({ runnerId, ingress }: RunnerEndpoint): Promise<Bundle> {
    if (ingress === undefined) throw new NotDispatched('unreachable', 'the runner of the instance has no ingress');
    const certificate = await this.#certificate();
    // A renewed certificate gets new connections, so that no tunnel opens on a connection with an expired certificate.
    // Tunnels on the old connections go on. The secret changes with every session of its runner.
    const key = `${runnerId} ${ingress.address} ${ingress.secret ?? ''} ${certificate.id}`;
    const slots = this.#slots.get(key) ?? Array.from({ length: connectionsPerRunner }, newSlot);
    this.#slots.set(key, slots);
    const slot = leastLoaded(slots);
    if (slot.bundle?.isOpen) return slot.bundle;
    slot.waiting += 1;
    try {
      slot.opening ??= this.#open(slot, runnerId, ingress, certificate).finally(() => {
        slot.opening = undefined;
      });
      return await slot.opening;
    } finally {
      slot.waiting -= 1;
    }
  }

  close(): void {
    clearInterval(this.#idleCheck);
    this.#dialer.close();
    for (const slots of this.#slots.values()) for (const { bundle } of slots) bundle?.destroy();
  }

  async #certificate(): Promise<ClientCertificate> {
    try {
      const certificate = await this.#credentials.current();
      this.#lacksCertificate = false;
      return certificate;
    } catch (cause) {
      this.#logger[this.#lacksCertificate ? 'debug' : 'warn'](
        { err: cause, event: 'ingress.no_credentials' },
        'certificate for runners is missing; calls to runners fail until there is one',
      );
      this.#lacksCertificate = true;
      throw new NotDispatched('unreachable', 'there is no certificate to show to runners', { cause });
    }
  }

  async #open(
    slot: ConnectionSlot,
    runnerId: string,
    ingress: Ingress,
    certificate: ClientCertificate,
  ): Promise<Bundle> {
    const { address } = ingress;
    const refusedAt = this.#refusals.get(address) ?? Number.NEGATIVE_INFINITY;
    try {
      if (performance.now() < refusedAt + this.#refusedMs) throw new RunnerAway({});
      slot.bundle = await this.#dialer.open(runnerId, ingress, certificate);
      this.#unreachable.delete(runnerId);
      this.#refusals.delete(address);
      return slot.bundle;
    } catch (cause) {
      if (cause instanceof NotDispatched) throw cause;
      this.#logger[this.#unreachable.has(runnerId) ? 'debug' : 'warn'](
        { runnerId, err: cause },
        'runner is not reachable; the call fails',
      );
      this.#unreachable.add(runnerId);
      if (!isRefusal(cause)) throw new NotDispatched('unreachable', 'the runner is not reachable', { cause });
      this.#refusals.set(address, performance.now());
      throw new RunnerAway({ cause });
    }
  }

  #closeIdle(): void {
    for (const [key, slots] of this.#slots) {
      for (const slot of slots) {
        const isIdle = tunnelsOf(slot) === 0;
        if (isIdle && slot.wasIdle) slot.bundle?.destroy();
        slot.wasIdle = isIdle;
      }
      if (slots.every(({ bundle, waiting }) => waiting === 0 && !bundle?.isOpen)) this.#slots.delete(key);
    }
  }
}

const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

const newSlot = (): ConnectionSlot => ({ bundle: undefined, opening: undefined, waiting: 0, wasIdle: false });

const tunnelsOf = ({ bundle, waiting }: ConnectionSlot): number => waiting + (bundle?.isOpen ? bundle.size : 0);

/** Prefers an open connection among equals. */
function leastLoaded(slots: readonly ConnectionSlot[]): ConnectionSlot {
  const cost = (slot: ConnectionSlot): number => tunnelsOf(slot) * 2 + (slot.bundle?.isOpen ? 0 : 1);
  return slots.reduce((best, slot) => (cost(slot) < cost(best) ? slot : best));
}
