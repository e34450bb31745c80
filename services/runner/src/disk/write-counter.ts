// Amount that each instance has written. The disk watch decides when to count; this class keeps the counts and their
// times.
import type { IsolationClass } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { containerLabels } from '../driver/driver.ts';
import type { Writer } from './choose-to-end.ts';
import { countSmallTrees } from './count-small-trees.ts';
import { countUnlinked } from './count-unlinked.ts';
import { type Counted, countWritten } from './count-written.ts';
import { type InstanceLimits, instanceLimits, type OperatorLimits } from './instance-limits.ts';
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

interface Followed {
  readonly instance: string;
  readonly watched: Watched;
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
  /** `sharing`: number of instances that share the time for counting with this one, itself included. */
  readonly isDue: (written: Written | undefined, limits: Amount, sharing: number) => boolean;
  /** Total loss of the file system when the round began. */
  readonly totalLoss: Amount;
  /** Limit for the whole round. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CounterOptions extends OperatorLimits {
  /** Folder in which the engine keeps the files of containers. */
  readonly folder: string;
  /** Owner of an instance that was created warm, without a workspace label. */
  readonly workspaceOf: (instance: string) => string | undefined;
  readonly onCounted: (seconds: number) => void;
  readonly logger: Logger;
}

/** Limit for one tree, so that it cannot keep the others from being counted. */
const treeTimeoutMs = 30_000;
const maxConcurrent = 2;
/** Instances with at most this many files are counted together. */
const maxSmallFiles = 1_000;

export class WriteCounter {
  readonly #folder: string;
  readonly #operatorLimits: OperatorLimits;
  readonly #workspaceOf: CounterOptions['workspaceOf'];
  readonly #onCounted: (seconds: number) => void;
  readonly #logger: Logger;
  readonly #watched = new Map<string, Watched>();

  constructor({ folder, limits, workspaceOf, gvisorBytes, onCounted, logger }: CounterOptions) {
    this.#workspaceOf = workspaceOf;
    this.#folder = folder;
    this.#operatorLimits = { limits, gvisorBytes };
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

  #limitsOf(container: WritingContainer): InstanceLimits {
    return instanceLimits(container, this.#operatorLimits);
  }

  /** Remaining room of the instance that is nearest to a limit of its own; undefined when no instance has one. */
  get leastOwnRoom(): Amount | undefined {
    const rooms = [...this.#watched.values()].flatMap(({ container, written }) => {
      const { isOwn, ...limits } = this.#limitsOf(container);
      return isOwn ? [difference(limits, written?.amount ?? nothing)] : [];
    });
    return rooms.length === 0 ? undefined : rooms.reduce(smaller);
  }

  /** The disk has plenty of room: writes until now are not held against any instance in a later shortage. */
  resetBaselines(): void {
    for (const watched of this.#watched.values()) watched.baseline = watched.written;
  }

  /**
   * Counts two at a time, trees that were fastest last time first: an endless tree delays only itself. Small trees with
   * limits of their own are counted together, all of them as soon as one is due.
   */
  async count({ isDue, totalLoss, timeoutMs, signal }: Round): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    const within = (): AbortSignal => {
      const leftMs = Math.max(0, Math.min(treeTimeoutMs, giveUpAt - performance.now()));
      return AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(leftMs))]);
    };
    const all = [...this.#watched].map(([instance, watched]) => {
      const limits = this.#limitsOf(watched.container);
      return { instance, watched, limits, isTogether: limits.isOwn && isSmall(watched.written) };
    });
    const owning = all.filter(({ limits }) => limits.isOwn).length;
    const due = all.filter(({ watched, limits }) => isDue(watched.written, limits, limits.isOwn ? owning : 1));
    const together = due.some(({ isTogether }) => isTogether) ? all.filter(({ isTogether }) => isTogether) : [];
    const areCounted = together.length > 1 && (await this.#countTogether(together, totalLoss, within()));
    // Trees that are too large together are counted singly, so that the large one among them is found.
    const single = areCounted ? due.filter(({ isTogether }) => !isTogether) : [...new Set([...due, ...together])];
    const queue = single
      .toSorted((left, right) => (left.watched.written?.tookMs ?? 0) - (right.watched.written?.tookMs ?? 0))
      .values();
    const work = async (): Promise<void> => {
      for (const each of queue) {
        if (performance.now() >= giveUpAt || signal.aborted) return;
        await this.#countOne(each, totalLoss, within());
      }
    };
    await Promise.all(Array.from({ length: maxConcurrent }, work));
  }

  /** False when the trees cannot be counted together. */
  async #countTogether(followed: readonly Followed[], lossThen: Amount, signal: AbortSignal): Promise<boolean> {
    const startedAt = performance.now();
    const containers = followed.map(({ watched }) => watched.container);
    const [named, unnamed] = await Promise.all([
      countSmallTrees(
        containers.map(({ writablePaths }) => writablePaths),
        signal,
      ),
      countUnlinked(
        containers.map(({ pid }) => pid),
        this.#folder,
        signal,
      ),
    ]);
    if (named === undefined || signal.aborted) return false;
    const tookMs = (performance.now() - startedAt) / followed.length;
    for (const [index, each] of followed.entries()) {
      const counted = sum(named[index] ?? nothing, unnamed[index] ?? nothing);
      this.#keep(each, { ...counted, isWhole: true }, tookMs, lossThen);
    }
    return true;
  }

  async #countOne({ instance, watched }: Followed, lossThen: Amount, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const { writablePaths: paths, pid } = watched.container;
    const [{ isWhole, ...named }, [unnamed = nothing]] = await Promise.all([
      countWritten({ paths, limits: this.#limitsOf(watched.container), signal }),
      countUnlinked([pid], this.#folder, signal),
    ]);
    this.#keep({ instance, watched }, { ...sum(named, unnamed), isWhole }, performance.now() - startedAt, lossThen);
  }

  #keep({ instance, watched }: Followed, { isWhole, ...counted }: Counted, tookMs: number, lossThen: Amount): void {
    this.#onCounted(tookMs / 1_000);
    // After an incomplete count the instance is assumed to hold at least as much as before.
    const amount = larger(counted, isWhole ? nothing : (watched.written?.amount ?? nothing));
    watched.written = { amount, lossThen, countedAt: performance.now(), tookMs };
    watched.baseline ??= watched.written;
    this.#logger.debug(
      { event: 'instance.written', instance, ...amount, isWhole, tookMs },
      'writes of instance counted',
    );
  }
}

const isSmall = (written: Written | undefined): boolean =>
  written !== undefined && written.amount.files <= maxSmallFiles;
