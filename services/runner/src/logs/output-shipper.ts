// Sends the output of every instance to the api, a few batches at a time: a workload that writes without end must
// delay neither the lines of others nor the machine's reports.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { backoffMs, pause, Semaphore } from '@berth/concurrency';
import { type LogLine, nodePaths } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { ApiRefusal } from '../node/api-refusal.ts';
import type { NodeClient } from '../node/node-client.ts';
import { InstanceOutput } from './instance-output.ts';
import { listArchives } from './log-archive.ts';
import type { RateRules } from './log-rate.ts';

export interface ShipperOptions {
  readonly stateFolder: string;
  readonly client: Pick<NodeClient, 'post'>;
  readonly logger: Logger;
  readonly onSent: (lines: number) => void;
  /** Rate limit of each instance. */
  readonly rate: RateRules;
  readonly now?: () => number;
}

const maxConcurrentSends = 4;
const retryMs = { first: 200, max: 5_000 };
/** Above the sequence number of every line that an instance writes. Notes share it and differ by their time. */
const noteSequence = 2 ** 52;
/** Statuses with which the api refuses lines for good: sending them again does not help. */
const hopeless = [400, 413, 422];

type Container = { readonly id: string; readonly logFile: string };

export class OutputShipper {
  readonly #options: ShipperOptions;
  readonly #folder: string;
  readonly #outputs = new Map<string, Promise<InstanceOutput>>();
  readonly #running = new Set<Promise<void>>();
  readonly #limit = new Semaphore(maxConcurrentSends);
  readonly #closing = new AbortController();

  constructor(options: ShipperOptions) {
    this.#options = options;
    this.#folder = join(options.stateFolder, 'logs');
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    for (const instance of this.instances()) void this.#output(instance);
  }

  /** Instances with output kept on this machine. */
  instances(): string[] {
    return readdirSync(this.#folder);
  }

  /** Sets the current container of an instance, whose output is read. Idempotent. */
  follow(instance: string, { id, logFile }: Container): void {
    void this.#output(instance).then((output) => output.follow(id, logFile));
  }

  /**
   * Called before a container is removed: keeps output that is not sent yet. Output that cannot be kept is lost: an
   * instance must be removable from a machine whose disk is full.
   */
  async keep(instance: string, { id, logFile }: Container): Promise<void> {
    const output = await this.#output(instance);
    await output.keep(id, logFile).catch((err: unknown) => {
      this.#options.logger.error(
        { err, instance },
        'output of instance could not be archived; its unsent lines are lost',
      );
    });
  }

  /** Adds a line written by the runner. A line that cannot be stored now is dropped. */
  note(instance: string, text: string): void {
    const { logger, now = Date.now } = this.#options;
    const line = { sequence: noteSequence, timeNs: `${now()}000000`, stream: 'stderr' as const, text };
    this.#limit
      .run(() => this.#send(instance, [line]))
      .catch((err: unknown) => logger.warn({ err, instance }, 'note about instance could not be stored; dropping it'));
  }

  /** The instance gets no further container. */
  end(instance: string): void {
    void this.#outputs.get(instance)?.then((output) => output.end());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#running);
  }

  #output(instance: string): Promise<InstanceOutput> {
    const known = this.#outputs.get(instance);
    if (known !== undefined) return known;
    const opened = this.#open(instance);
    this.#outputs.set(instance, opened);
    return opened;
  }

  async #open(instance: string): Promise<InstanceOutput> {
    const { logger, rate, now = Date.now } = this.#options;
    const folder = join(this.#folder, instance);
    const { signal } = this.#closing;
    const output = new InstanceOutput({
      instance,
      folder,
      archives: await listArchives(folder).catch((err: unknown) => {
        logger.error({ err, instance }, 'archived output is unreadable; leaving it in place');
        return [];
      }),
      send: (id, lines) => this.#limit.run(() => this.#send(id, lines)),
      rest: (failures) => pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal),
      rate,
      now,
      signal,
    });
    const running = this.#keepRunning(instance, output);
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
    return output;
  }

  /** A file that cannot be read now is read later, from the position in the cursor. */
  async #keepRunning(instance: string, output: InstanceOutput): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await output.run(() => this.#outputs.delete(instance));
      } catch (err) {
        this.#options.logger.warn({ err, instance }, 'output of instance cannot be read; retrying');
        await pause(backoffMs(failures, retryMs.first, retryMs.max, Math.random), signal);
      }
    }
  }

  async #send(instance: string, lines: readonly LogLine[]): Promise<void> {
    const { client, logger, onSent } = this.#options;
    const answer = await client.post(nodePaths.logs, { instance, lines }, { signal: this.#closing.signal });
    if (answer.status === 200) return onSent(lines.length);
    const refusal = new ApiRefusal(answer);
    if (!hopeless.includes(answer.status)) throw refusal;
    logger.error(
      { err: refusal, instance, lines: lines.length },
      'api refused lines of output for good; dropping them',
    );
  }
}
