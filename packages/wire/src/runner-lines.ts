// A few connections to every runner, each of which carries many tunnels. Several, because each ends in one of the
// processes of the runner's ingress, and with few connections chance loads the processes unevenly.
import type { Logger } from '@berth/telemetry';
import type { Bundle } from './bundle.ts';
import type { Credentials, Shown } from './credentials.ts';
import { NotDispatched, RunnerAway } from './not-dispatched.ts';
import { type Ingress, RunnerDial } from './runner-dial.ts';

export interface RunnerPlace {
  readonly runnerId: string;
  readonly ingress: Ingress | undefined;
}

export interface RunnerLinesOptions {
  readonly credentials: Credentials;
  readonly answerMs: number;
  readonly refusedMs: number;
  readonly logger: Logger;
}

const linesEach = 4;
/** Interval of the idle check. A connection without tunnels at two checks in a row is closed. */
const lookMs = 30_000;

interface Line {
  bundle: Bundle | undefined;
  opening: Promise<Bundle> | undefined;
  /** Number of tunnels that wait for the connection to open. */
  waiting: number;
  wasIdle: boolean;
}

export class RunnerLines {
  readonly #dial: RunnerDial;
  readonly #credentials: Credentials;
  readonly #refusedMs: number;
  /** Time of the last refused connection, by address. */
  readonly #refusals = new Map<string, number>();
  /** Runners already logged as unreachable: later failures, one for each waiting request, are logged at debug. */
  readonly #away = new Set<string>();
  /** True while there is no certificate: only the first failure is logged as a warning. */
  #isWithout = false;
  readonly #logger: Logger;
  readonly #lines = new Map<string, readonly Line[]>();
  readonly #looking: NodeJS.Timeout;

  constructor(options: RunnerLinesOptions) {
    const { credentials, answerMs, refusedMs, logger } = options;
    this.#dial = new RunnerDial({ answerMs });
    this.#credentials = credentials;
    this.#refusedMs = refusedMs;
    this.#logger = logger;
    this.#looking = setInterval(() => this.#closeIdle(), lookMs).unref();
  }

  /** The connection with the fewest tunnels. */
  async to({ runnerId, ingress }: RunnerPlace): Promise<Bundle> {
    if (ingress === undefined) throw new NotDispatched('unreachable', 'the runner of the instance has no ingress');
    const shown = await this.#shown();
    // A renewed certificate gets new connections, so that no tunnel opens on a connection with an expired certificate.
    // Tunnels on the old connections go on. The secret changes with every session of its runner.
    const key = `${runnerId} ${ingress.address} ${ingress.secret ?? ''} ${shown.id}`;
    const lines = this.#lines.get(key) ?? Array.from({ length: linesEach }, newLine);
    this.#lines.set(key, lines);
    const line = freest(lines);
    if (line.bundle?.isOpen) return line.bundle;
    line.waiting += 1;
    try {
      line.opening ??= this.#open(line, runnerId, ingress, shown).finally(() => {
        line.opening = undefined;
      });
      return await line.opening;
    } finally {
      line.waiting -= 1;
    }
  }

  close(): void {
    clearInterval(this.#looking);
    this.#dial.close();
    for (const lines of this.#lines.values()) for (const { bundle } of lines) bundle?.destroy();
  }

  async #shown(): Promise<Shown> {
    try {
      const shown = await this.#credentials.current();
      this.#isWithout = false;
      return shown;
    } catch (cause) {
      this.#logger[this.#isWithout ? 'debug' : 'warn'](
        { err: cause, event: 'ingress.no_credentials' },
        'no certificate to show to runners; no runner is called',
      );
      this.#isWithout = true;
      throw new NotDispatched('unreachable', 'there is no certificate to show to runners', { cause });
    }
  }

  async #open(line: Line, runnerId: string, ingress: Ingress, shown: Shown): Promise<Bundle> {
    const { address } = ingress;
    const refusedAt = this.#refusals.get(address) ?? Number.NEGATIVE_INFINITY;
    try {
      if (performance.now() < refusedAt + this.#refusedMs) throw new RunnerAway({});
      line.bundle = await this.#dial.open(runnerId, ingress, shown);
      this.#away.delete(runnerId);
      this.#refusals.delete(address);
      return line.bundle;
    } catch (cause) {
      if (cause instanceof NotDispatched) throw cause;
      this.#logger[this.#away.has(runnerId) ? 'debug' : 'warn']({ runnerId, err: cause }, 'a runner is not reachable');
      this.#away.add(runnerId);
      if (!isRefusal(cause)) throw new NotDispatched('unreachable', 'the runner is not reachable', { cause });
      this.#refusals.set(address, performance.now());
      throw new RunnerAway({ cause });
    }
  }

  #closeIdle(): void {
    for (const [key, lines] of this.#lines) {
      for (const line of lines) {
        const isIdle = tunnelsOf(line) === 0;
        if (isIdle && line.wasIdle) line.bundle?.destroy();
        line.wasIdle = isIdle;
      }
      if (lines.every(({ bundle, waiting }) => waiting === 0 && !bundle?.isOpen)) this.#lines.delete(key);
    }
  }
}

const isRefusal = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

const newLine = (): Line => ({ bundle: undefined, opening: undefined, waiting: 0, wasIdle: false });

const tunnelsOf = ({ bundle, waiting }: Line): number => waiting + (bundle?.isOpen ? bundle.size : 0);

/** Prefers an open connection among equals. */
function freest(lines: readonly Line[]): Line {
  const cost = (line: Line): number => tunnelsOf(line) * 2 + (line.bundle?.isOpen ? 0 : 1);
  return lines.reduce((best, line) => (cost(line) < cost(best) ? line : best));
}
