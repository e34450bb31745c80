// Supervises one ingress process from the runner: restarts it when it dies and sends it its whole configuration at
// each start.
import { type ChildProcess, fork } from 'node:child_process';
import { backoffMs, pause, settlesWithin } from '@berth/concurrency';
import { TunnelAnswer } from '@berth/contract/node';
import { programPath } from '@berth/release';
import type { Logger } from '@berth/telemetry';
import { FromIngress, type ToIngress } from './ingress-messages.ts';

export interface IngressChildOptions {
  /** Called at every start of the process. */
  readonly orders: () => Extract<ToIngress, { do: 'listen' }>;
  readonly onAnswers: (answer: TunnelAnswer['tunnel'], count: number) => void;
  readonly logger: Logger;
}

const program = programPath('ingress-process');
/** Bytes only pass through and few objects live long: a large young generation would waste memory. */
const flags = ['--max-semi-space-size=2'];
const firstPauseMs = 100;
const maxPauseMs = 10_000;
/** A process that ran this long did not die of its start, so the backoff begins again. */
const steadyMs = 30_000;

export class IngressChild {
  readonly #options: IngressChildOptions;
  readonly #closing = new AbortController();
  #child: ChildProcess | undefined;
  #tunnels = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(options: IngressChildOptions) {
    this.#options = options;
  }

  get tunnels(): number {
    return this.#tunnels;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves with the port. Rejects if the first start fails; later starts are retried. */
  start(): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#running = this.#keep(resolve, reject);
    return promise;
  }

  tell(message: ToIngress): void {
    // A process that is exiting misses the message; its successor gets the current state at its start.
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  /**
   * Asks the process to leave and waits `patienceMs` for its tunnels to end. Then kills it, which cuts off open
   * tunnels.
   */
  async end(patienceMs: number): Promise<void> {
    this.#closing.abort();
    this.tell({ do: 'leave' });
    await settlesWithin(patienceMs, this.#running);
    this.#child?.kill('SIGKILL');
    await this.#running;
  }

  async #keep(onFirst: (port: number) => void, onFailed: (error: Error) => void): Promise<void> {
    let hasListened = false;
    for (let failures = 1; !this.#closing.signal.aborted; failures += 1) {
      const startedAt = performance.now();
      const trouble = await this.#run((port) => {
        hasListened = true;
        onFirst(port);
      });
      if (!hasListened) return onFailed(new Error(`The ingress cannot listen: ${trouble}`));
      if (this.#closing.signal.aborted) return;
      if (performance.now() - startedAt > steadyMs) failures = 1;
      this.#options.logger.error({ trouble }, 'ingress process ended with its tunnels; starting another');
      await pause(backoffMs(failures, firstPauseMs, maxPauseMs, Math.random), this.#closing.signal);
    }
  }

  /** Runs one process until it has ended; returns the reason. */
  #run(onListening: (port: number) => void): Promise<string> {
    const { orders, onAnswers, logger } = this.#options;
    // Empty environment: the runner's variables hold secrets that the ingress process does not need.
    const child = fork(program, [], {
      env: {},
      execArgv: flags,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child = child;
    let trouble = '';
    child.on('message', (said) => {
      const message = FromIngress.parse(said);
      if (message.is === 'listening') onListening(message.port);
      if (message.is === 'failing') {
        trouble = message.message;
        logger.warn({ trouble }, 'ingress process reported a failure');
      }
      if (message.is === 'counting') {
        this.#tunnels = message.tunnels;
        for (const answer of answersOf(message.answers)) onAnswers(...answer);
      }
    });
    child.send(orders(), () => {});
    return new Promise((resolve) => {
      const end = (why: string): void => {
        this.#tunnels = 0;
        resolve(trouble === '' ? why : trouble);
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(`it ended (${code ?? signal})`));
    });
  }
}

const answersOf = (counted: Partial<Record<TunnelAnswer['tunnel'], number>>) =>
  TunnelAnswer.shape.tunnel.options.map((answer): [TunnelAnswer['tunnel'], number] => [answer, counted[answer] ?? 0]);
