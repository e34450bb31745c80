// Keeps the engine's file system from running full: measures free space, aborts image pulls when it is short, counts
// what instances write, and ends instances of a workspace that takes the space of others. If no workspace caused the
// loss, it raises an alarm and ends no instance. Under gVisor the runtime itself limits the layer exactly; this watches
// the writes beside the layer there, and limits of an instance's own, which the runtime does not get.

import { pause } from '@berth/concurrency';
import { bytesPerMb } from '@berth/contract/node';
import { signalContainer } from '../driver/signal-container.ts';
import type { Failure } from '../failures/failure.ts';
import { isShort } from '../machine/pressure.ts';
import { Ballast } from './ballast.ts';
import { chooseToEnd, type Shortage } from './choose-to-end.ts';
import { type FreeSpace, freePercent, freeSpace } from './free-space.ts';
import { type Level, PullWatch, type PullWatchOptions } from './pull-watch.ts';
import { type CounterOptions, WriteCounter, type WritingContainer } from './write-counter.ts';
import { type Amount, difference, isDue, lossOf, mayHaveGrown, nextLookMs, nothing, smaller, sum } from './written.ts';

export interface DiskWatchOptions extends CounterOptions, PullWatchOptions {
  readonly reservePercent: number;
  /** The disk is getting short: unused files may be removed. */
  readonly onShort: () => void;
}

/** With less free space than this the engine can do nothing. */
const nearlyNone: Amount = { bytes: 16 * bytesPerMb, files: 32 };
/** Time limit of a count when the disk is short: an instance has to be ended soon, even with an incomplete count. */
const urgentCountMs = 3_000;
const looksSoonMs = 100;
const backgroundCountMs = 600_000;
/** Time for the engine to remove the files of an aborted pull, before an instance is ended. */
const clearingMs = 1_000;
/**
 * An instance that is still there this long after it was ended may be chosen again. An alarm waits as long for an
 * aborted pull.
 */
const endingMs = 15_000;
/** Multiples of the reserve: below this, placement avoids the runner, before any instance has to be ended. */
const pressed = { below: 1.5, until: 2 };
/** Multiples of the reserve for new pulls. */
const short = { below: 1, until: pressed.below };

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #counter: WriteCounter;
  readonly #ballast: Ballast;
  readonly #pulls: PullWatch;
  readonly #endedAt = new Map<string, number>();
  readonly #closing = new AbortController();
  #endInstance: (instance: string, failure: Failure) => void = () => {};
  #running: Promise<void> = Promise.resolve();
  /** Background count in progress, if any. */
  #backgroundCount: { readonly ending: AbortController; readonly done: Promise<void> } | undefined;
  #totalLoss: Amount = nothing;
  #last: { readonly space: FreeSpace; readonly at: number } | undefined;
  #isPressed = false;
  #isShort = false;
  #isAlarmed = false;
  #pullsAbortedAt = Number.NEGATIVE_INFINITY;
  /** Total loss when the disk last had plenty of room. */
  #baselineLoss: Amount = nothing;
  /** Growth since that moment of instances that were ended since then. */
  #endedGrowth: Amount = nothing;

  constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#counter = new WriteCounter(options);
    this.#ballast = new Ballast(options.folder);
    this.#pulls = new PullWatch(options);
  }

  /** New instances should not be placed here. */
  get isPressed(): boolean {
    return this.#isPressed;
  }

  /** Images should not be pulled. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** The disk is short, and no workspace on this machine is the cause. Only an operator can help. */
  get isAlarmed(): boolean {
    return this.#isAlarmed;
  }

  get freePercent(): number {
    return this.#last === undefined ? 100 : freePercent(this.#last.space);
  }

  /** Sets the current container of an instance. Idempotent. */
  follow(instance: string, container: WritingContainer): void {
    this.#counter.follow(instance, container);
  }

  /** The files that the instance had written are removed. */
  forget(instance: string): void {
    this.#counter.forget(instance);
    this.#endedAt.delete(instance);
  }

  /** `end` ends an instance for good and removes its files. `forget` is called when that is done. */
  start(end: (instance: string, failure: Failure) => void): void {
    this.#endInstance = end;
    this.#running = this.#watch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#running, this.#backgroundCount?.done]);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      let waitMs = 1_000;
      try {
        waitMs = await this.#look();
      } catch (err) {
        if (!signal.aborted) this.#options.logger.warn({ err }, 'disk usage check failed; retrying');
      }
      await pause(waitMs, signal);
    }
  }

  /** Returns the time until the next look. */
  async #look(): Promise<number> {
    const { folder, reservePercent } = this.#options;
    const space = await freeSpace(folder);
    const at = performance.now();
    const last = this.#last ?? { space, at };
    const lost = lossOf(last.space, space);
    this.#last = { space, at };
    this.#totalLoss = sum(this.#totalLoss, lost);
    this.#updatePressure(space);
    await this.#trimBallast(space);
    const shortage = shortageOf(space, reservePercent);
    const isShortNow = shortage.bytes > 0 || shortage.files > 0;
    if (isShortNow && this.#pulls.abortAll(this.freePercent) > 0) {
      this.#pullsAbortedAt = at;
      return looksSoonMs;
    }
    await this.#limitPulls(last.space, space);
    // The engine is about to free the space of an aborted pull, so no instance is ended for it.
    const isClearing = at - this.#pullsAbortedAt < clearingMs;
    if (isShortNow) await this.#countAndEnd(isClearing ? nothing : shortage);
    else this.#countInBackground();
    const untilShort = { bytes: -shortage.bytes, files: -shortage.files };
    return nextLookMs(lost, at - last.at, smaller(untilShort, this.#counter.leastOwnRoom ?? untilShort));
  }

  #updatePressure(space: FreeSpace): void {
    const { reservePercent, onShort, logger } = this.#options;
    const times = ({ below, until }: typeof pressed) => ({
      below: below * reservePercent,
      until: until * reservePercent,
    });
    const was = this.#isPressed;
    this.#isPressed = isShort(was, freePercent(space), times(pressed));
    this.#isShort = isShort(this.#isShort, freePercent(space), times(short));
    if (this.#isPressed === was) return;
    const fields = { event: 'runner.disk', isPressed: !was, freePercent: Math.round(freePercent(space) * 10) / 10 };
    if (was) {
      logger.info(fields, 'disk has room again; instances are placed here as usual');
      return;
    }
    logger.warn(fields, 'disk is getting short; new instances are placed elsewhere where possible');
    onShort();
  }

  async #trimBallast({ freeBytes, freeFiles, sizeFiles }: FreeSpace): Promise<void> {
    const isFull = freeBytes < nearlyNone.bytes || (sizeFiles > 0 && freeFiles < nearlyNone.files);
    if (isFull) await this.#ballast.release();
    else if (!this.#isPressed) await this.#ballast.reserve();
  }

  /** Instances are counted before a loss is attributed to a pull. */
  async #limitPulls(before: FreeSpace, { freeBytes }: FreeSpace): Promise<void> {
    const level = (bytes: number): Level => ({ freeBytes: bytes, writtenBytes: this.#counter.total.bytes });
    this.#pulls.follow(level(before.freeBytes));
    if (this.#pulls.beyond(level(freeBytes)).length === 0) return;
    await this.#countGrown();
    this.#pulls.abortBeyond(level(freeBytes));
  }

  /** Runs beside the looks: counting millions of files must not delay the detection of a full disk. */
  #countInBackground(): void {
    if (this.#backgroundCount !== undefined || this.#closing.signal.aborted) return;
    const ending = new AbortController();
    const { logger } = this.#options;
    const count = async (): Promise<void> => {
      const totalLoss = this.#totalLoss;
      await this.#counter.count({
        isDue: (written, limits, sharing) => isDue(written, totalLoss, limits, performance.now(), sharing),
        totalLoss,
        timeoutMs: backgroundCountMs,
        signal: AbortSignal.any([ending.signal, this.#closing.signal]),
      });
      if (!ending.signal.aborted && !this.#isPressed) this.#resetBaseline(totalLoss);
      this.#endWriters(nothing);
    };
    const done = count()
      .catch((err: unknown) => logger.warn({ err }, 'count of writes failed; retrying'))
      .finally(() => {
        this.#backgroundCount = undefined;
      });
    this.#backgroundCount = { ending, done };
  }

  #resetBaseline(totalLoss: Amount): void {
    this.#counter.resetBaselines();
    this.#baselineLoss = totalLoss;
    this.#endedGrowth = nothing;
  }

  async #countAndEnd(shortage: Shortage): Promise<void> {
    await this.#countGrown();
    this.#endWriters(shortage);
  }

  /** Counts every instance that may have written since its last count, at any cost. */
  async #countGrown(): Promise<void> {
    this.#backgroundCount?.ending.abort();
    await this.#backgroundCount?.done;
    const totalLoss = this.#totalLoss;
    await this.#counter.count({
      isDue: (written) => mayHaveGrown(written, totalLoss),
      totalLoss,
      timeoutMs: urgentCountMs,
      signal: this.#closing.signal,
    });
  }

  /** Space that ended instances are about to free is subtracted, or far too many instances would be ended. */
  #endWriters(shortage: Shortage): void {
    if (this.#closing.signal.aborted) return;
    const now = performance.now();
    for (const [instance, at] of this.#endedAt) if (now - at >= endingMs) this.#endedAt.delete(instance);
    const writers = this.#counter.writers({
      total: this.#totalLoss,
      baseline: this.#baselineLoss,
      endedGrowth: this.#endedGrowth,
      minimum: this.#minLoss(),
    });
    const staying = writers.filter(({ instance }) => !this.#endedAt.has(instance));
    const awaited = writers.filter(({ instance }) => this.#endedAt.has(instance)).map(({ amount }) => amount);
    const missing = awaited.reduce(difference, shortage);
    const verdicts = chooseToEnd(staying, missing);
    for (const { instance, failure } of verdicts) {
      const grown = staying.find((writer) => writer.instance === instance)?.grown ?? nothing;
      this.#endedGrowth = sum(this.#endedGrowth, grown);
      this.#end(instance, failure, now);
    }
    const isUnexplained = verdicts.length === 0 && (missing.bytes > 0 || missing.files > 0);
    this.#alarm(isUnexplained && now - this.#pullsAbortedAt >= endingMs);
  }

  /** Minimum loss between plenty of room and a shortage, also when this process did not see it happen. */
  #minLoss(): Amount {
    const { sizeBytes = 0, sizeFiles = 0 } = this.#last?.space ?? {};
    const part = ((pressed.below - short.below) * this.#options.reservePercent) / 100;
    return { bytes: sizeBytes * part, files: sizeFiles * part };
  }

  #alarm(isAlarmed: boolean): void {
    if (this.#isAlarmed === isAlarmed) return;
    this.#isAlarmed = isAlarmed;
    const { logger } = this.#options;
    const fields = { event: 'runner.disk_alarm', isAlarmed, freePercent: this.freePercent };
    if (!isAlarmed) logger.info(fields, 'disk alarm is over');
    else
      logger.error(
        fields,
        'disk is nearly full and no workspace caused it; image pulls stop and no instance is ended until disk space is freed or added',
      );
  }

  #end(instance: string, failure: Failure, now: number): void {
    const { logger } = this.#options;
    logger.warn({ event: 'instance.disk_full', instance, freePercent: this.freePercent }, failure.message);
    this.#endedAt.set(instance, now);
    this.#endInstance(instance, failure);
    const container = this.#counter.containerOf(instance);
    if (container === undefined) return;
    signalContainer(container, 'SIGKILL').catch((err: unknown) =>
      logger.debug({ err, instance }, 'instance to end had already exited'),
    );
  }
}

/** Negative while more than the reserve is free. */
const shortageOf = ({ freeBytes, sizeBytes, freeFiles, sizeFiles }: FreeSpace, percent: number): Shortage => ({
  bytes: (sizeBytes * percent) / 100 - freeBytes,
  files: sizeFiles === 0 ? Number.NEGATIVE_INFINITY : (sizeFiles * percent) / 100 - freeFiles,
});
