// A few connections to every runner, each of which carries many tunnels. Several, because each ends in one of the processes of
// the runner's ingress.
import type { Logger } from '@berth/telemetry';
import type { Bundle } from '@berth/wire';
import type { Endpoint } from '../routing/route.ts';
import { NotDispatched } from './connector.ts';
import { RunnerDial } from './runner-dial.ts';

export interface RunnerLinesOptions {
  readonly authorityPem: () => Promise<string>;
  readonly answerMs: number;
  readonly logger: Logger;
}

const mostLines = 4;
/** One that carries nothing at two looks in a row is closed. */
const lookMs = 30_000;

interface Lines {
  readonly open: Set<Bundle>;
  readonly idle: Set<Bundle>;
  opening: Promise<Bundle> | undefined;
}

export class RunnerLines {
  readonly #dial: RunnerDial;
  readonly #logger: Logger;
  readonly #lines = new Map<string, Lines>();
  readonly #looking: NodeJS.Timeout;

  constructor(options: RunnerLinesOptions) {
    this.#dial = new RunnerDial(options);
    this.#logger = options.logger;
    this.#looking = setInterval(() => this.#closeIdle(), lookMs).unref();
  }

  /** The one with the fewest tunnels; another is opened beside it while all are in use. */
  async to(endpoint: Endpoint): Promise<Bundle> {
    if (endpoint.ingress === undefined)
      throw new NotDispatched('unreachable', 'the runner of the instance has no ingress');
    // With a new secret begins a new session, to which the old connections do not belong.
    const key = `${endpoint.runnerId} ${endpoint.ingress.address} ${endpoint.ingress.secret}`;
    const lines = this.#lines.get(key) ?? { open: new Set(), idle: new Set(), opening: undefined };
    this.#lines.set(key, lines);
    const freest = leastUsed(lines.open);
    if (freest === undefined) return this.#another(key, lines, endpoint, endpoint.ingress);
    if (freest.size > 0 && lines.open.size < mostLines)
      this.#another(key, lines, endpoint, endpoint.ingress).catch(() => {});
    return freest;
  }

  close(): void {
    clearInterval(this.#looking);
    this.#dial.close();
    for (const { open } of this.#lines.values()) for (const bundle of [...open]) bundle.destroy();
  }

  #another(key: string, lines: Lines, endpoint: Endpoint, ingress: NonNullable<Endpoint['ingress']>): Promise<Bundle> {
    lines.opening ??= this.#open(key, lines, endpoint, ingress).finally(() => {
      lines.opening = undefined;
      this.#forgetEmpty(key, lines);
    });
    return lines.opening;
  }

  async #open(key: string, lines: Lines, endpoint: Endpoint, ingress: NonNullable<Endpoint['ingress']>) {
    try {
      const bundle = await this.#dial.open(endpoint, ingress, () => {
        lines.open.delete(bundle);
        lines.idle.delete(bundle);
        this.#forgetEmpty(key, lines);
      });
      lines.open.add(bundle);
      return bundle;
    } catch (cause) {
      if (cause instanceof NotDispatched) throw cause;
      this.#logger.warn({ runnerId: endpoint.runnerId, err: cause }, 'a runner is not reachable');
      throw new NotDispatched('unreachable', 'the runner is not reachable', { cause });
    }
  }

  #forgetEmpty(key: string, lines: Lines): void {
    if (lines.open.size === 0 && lines.opening === undefined) this.#lines.delete(key);
  }

  #closeIdle(): void {
    for (const { open, idle } of this.#lines.values())
      for (const bundle of [...open]) {
        if (bundle.size > 0) idle.delete(bundle);
        else if (idle.has(bundle)) bundle.destroy();
        else idle.add(bundle);
      }
  }
}

function leastUsed(bundles: ReadonlySet<Bundle>): Bundle | undefined {
  let least: Bundle | undefined;
  for (const bundle of bundles)
    if (bundle.isOpen && bundle.size < (least?.size ?? Number.POSITIVE_INFINITY)) least = bundle;
  return least;
}
