// Amount that each instance has written. The disk watch decides when to count; this class keeps the counts and their
// times.
import type { IsolationClass } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { containerLabels } from '../driver/driver.ts';
import type { Writer } from './choose-to-end.ts';
import { countUnlinked } from './count-unlinked.ts';
import { countWritten } from './count-written.ts';
import { type Amount, difference, larger, nothing, smaller, sum, type Written } from './written.ts';

export interface WritingContainer {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly writablePaths: readonly string[];
  /** Absent unless the container runs. */
  readonly pid: number | undefined;
  readonly isolation: IsolationClass | undefined;
}

interface Watched {
  container: WritingContainer;
  written: Written | undefined;
  /**
   * Last count while the disk had plenty of room, else the first count. Earlier writes are not held against the
   * instance.
   */
  baseline: Pick<Written, 'amount' | 'lossThen'> | undefined;
}

/** Loss of the file system, with which the growth of instances is compared. */
export interface Loss {
  /** Total loss since this runner began; see `lossOf`. */
  readonly total: Amount;
  /** Total loss when the disk last had plenty of room. */
  readonly baseline: Amount;
  /** Part of the loss that was caused by instances that are ended by now. */
  readonly endedGrowth: Amount;
  /** Minimum loss since the disk had plenty of room. */
  readonly minimum: Amount;
}

export interface Round {
  readonly isDue: (written: Written | undefined) => boolean;
  /** Total loss of the file system when the round began. */
  readonly totalLoss: Amount;
  /** Limit for the whole round. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CounterOptions {
  /** Folder in which the engine keeps the files of containers. */
  readonly folder: string;
  /** Limits of one instance. */
  readonly limits: Amount;
  /** Owner of an instance that was created warm, without a workspace label. */
  readonly workspaceOf: (instance: string) => string | undefined;
  /** Layer limit that gVisor enforces by itself; its containers may write the usual limit in addition. */
  readonly gvisorBytes: number | undefined;
  readonly onCounted: (seconds: number) => void;
  readonly logger: Logger;
}

/** Limit for one tree, so that it cannot keep the others from being counted. */
const treeTimeoutMs = 30_000;
const maxConcurrent = 2;

export class WriteCounter {
  readonly #folder: string;
  readonly #limits: Amount;
  readonly #workspaceOf: CounterOptions['workspaceOf'];
  readonly #gvisorBytes: number;
  readonly #onCounted: (seconds: number) => void;
  readonly #logger: Logger;
  readonly #watched = new Map<string, Watched>();

  constructor({ folder, limits, workspaceOf, gvisorBytes = 0, onCounted, logger }: CounterOptions) {
    this.#workspaceOf = workspaceOf;
    this.#gvisorBytes = gvisorBytes;
    this.#folder = folder;
    this.#limits = limits;
    this.#onCounted = onCounted;
    this.#logger = logger;
  }

  follow(instance: string, container: WritingContainer): void {
    const known = this.#watched.get(instance);
    const isSame = known?.container.writablePaths.join('\n') === container.writablePaths.join('\n');
    if (known !== undefined && isSame) known.container = container;
    else this.#watched.set(instance, { container, written: undefined, baseline: undefined });
  }

  forget(instance: string): void {
    this.#watched.delete(instance);
  }

  containerOf(instance: string): WritingContainer | undefined {
    return this.#watched.get(instance)?.container;
  }

  /** Sum over all instances, as far as they are counted. */
  get total(): Amount {
    return [...this.#watched.values()].map(({ written }) => written?.amount ?? nothing).reduce(sum, nothing);
  }

  writers({ total, baseline: baselineLoss, endedGrowth, minimum }: Loss): Writer[] {
    return [...this.#watched].flatMap(([instance, { container, written, baseline }]) => {
      if (written === undefined || baseline === undefined) return [];
      // A count may be older than the last moment with plenty of room: then the loss since that count is used.
      const since = smaller(baselineLoss, baseline.lossThen);
      return [
        {
          instance,
          workspace: container.labels[containerLabels.workspace] ?? this.#workspaceOf(instance),
          amount: written.amount,
          grown: difference(written.amount, baseline.amount),
          lost: larger(minimum, difference(difference(total, since), endedGrowth)),
          limits: this.#limitsOf(container),
        },
      ];
    });
  }

  #limitsOf({ isolation }: WritingContainer): Amount {
    const { bytes, files } = this.#limits;
    return { bytes: bytes + (isolation === 'gvisor' ? this.#gvisorBytes : 0), files };
  }

  /** The disk has plenty of room: writes until now are not held against any instance in a later shortage. */
  resetBaselines(): void {
    for (const watched of this.#watched.values()) watched.baseline = watched.written;
  }

  /** Counts two at a time, trees that were fastest last time first: an endless tree delays only itself. */
  async count({ isDue, totalLoss, timeoutMs, signal }: Round): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    const due = [...this.#watched]
      .filter(([, { written }]) => isDue(written))
      .toSorted(([, left], [, right]) => (left.written?.tookMs ?? 0) - (right.written?.tookMs ?? 0))
      .values();
    const work = async (): Promise<void> => {
      for (const [instance, watched] of due) {
        const leftMs = Math.min(treeTimeoutMs, giveUpAt - performance.now());
        if (leftMs <= 0 || signal.aborted) return;
        await this.#countOne(
          instance,
          watched,
          totalLoss,
          AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(leftMs))]),
        );
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, work));
  }

  async #countOne(instance: string, watched: Watched, lossThen: Amount, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const { writablePaths: paths, pid } = watched.container;
    const [{ isWhole, ...named }, unnamed] = await Promise.all([
      countWritten({ paths, limits: this.#limitsOf(watched.container), signal }),
      pid === undefined ? nothing : countUnlinked(pid, this.#folder, signal),
    ]);
    const counted = sum(named, unnamed);
    const tookMs = performance.now() - startedAt;
    this.#onCounted(tookMs / 1_000);
    // After an incomplete count the instance is assumed to hold at least as much as before.
    const before = isWhole ? nothing : (watched.written?.amount ?? nothing);
    const amount = { bytes: Math.max(counted.bytes, before.bytes), files: Math.max(counted.files, before.files) };
    watched.written = { amount, lossThen, countedAt: performance.now(), tookMs };
    watched.baseline ??= watched.written;
    this.#logger.debug(
      { event: 'instance.written', instance, ...amount, isWhole, tookMs },
      'writes of instance counted',
    );
  }
}
