// Brings the container of an instance up, stage by stage, until the instance answers.

import type { Notifier } from '@berth/concurrency';
import type { Failure } from '../failures/failure.ts';
import { type AnswerOutcome, awaitAnswer } from './await-answer.ts';
import { BringUpClock } from './bring-up-clock.ts';
import { EngineQueue } from './engine-queue.ts';
import type { InstanceContainer } from './instance-container.ts';
import type { InstanceMode, ReachableInstance } from './modes/mode.ts';
import { pullUntilThere } from './pull-image.ts';
import type { RunRecord } from './run-record.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

export interface BringUpParts {
  readonly container: InstanceContainer;
  readonly mode: () => InstanceMode;
  readonly notifier: Notifier;
  readonly record: RunRecord;
}

export class BringUp {
  readonly clock = new BringUpClock();
  readonly #parts: BringUpParts;
  readonly #images: WorkerDependencies['images'];
  readonly #queue: EngineQueue;

  constructor(parts: BringUpParts, { images, bringUps }: Pick<WorkerDependencies, 'images' | 'bringUps'>) {
    this.#parts = parts;
    this.#images = images;
    this.#queue = new EngineQueue(bringUps);
  }

  /** Undefined when the image is present, or when it is no longer wanted. */
  async pull(
    desired: ReachableInstance,
    signal: AbortSignal,
    report: (message: string) => void,
  ): Promise<Failure | undefined> {
    const { unavailable } = this.#parts.mode();
    if (unavailable !== undefined) return unavailable;
    this.clock.begin();
    const { image, imageSource: source, workspaceId = source?.workspaceId } = desired;
    const pull = { images: this.#images, request: { image, source, workspaceId }, signal, report };
    return this.clock.measure('pull', () => pullUntilThere(pull));
  }

  create(desired: ReachableInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#queued(desired, signal, async () => {
      const { container, mode } = this.#parts;
      const creation = { isBackground: mode().isBackground(desired), spec: mode().containerSpec(desired) };
      await this.clock.measure('create', () => container.create(desired, creation));
      await this.#startNow(desired, signal);
    });
  }

  start(desired: ReachableInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#queued(desired, signal, () => this.#startNow(desired, signal));
  }

  /** True if the instance answers now. */
  ask(desired: ReachableInstance, address: string, signal: AbortSignal): Promise<boolean> {
    return this.#parts.mode().probe(desired, address, signal);
  }

  answer(desired: ReachableInstance, address: string, signal: AbortSignal): Promise<AnswerOutcome> {
    const { notifier, container, mode } = this.#parts;
    return awaitAnswer({
      ask: () => this.ask(desired, address, signal),
      timeoutMs: mode().startTimeoutSeconds(desired) * 1_000,
      notifier,
      isRunning: async () => (await container.inspect())?.status === 'running',
      signal,
    });
  }

  async #startNow(desired: ReachableInstance, signal: AbortSignal): Promise<void> {
    const { container, mode, record } = this.#parts;
    await this.clock.measure('start', () => container.start());
    record.started();
    // A starting guest uses more CPU than the engine, so the turn of a warm sandbox lasts until its guest answers.
    const { address } = container;
    if (mode().isBackground(desired) && address !== undefined) await this.answer(desired, address, signal);
  }

  #queued(desired: ReachableInstance, signal: AbortSignal, work: () => Promise<void>): Promise<Failure | undefined> {
    const { container, mode } = this.#parts;
    const clear = async (): Promise<void> => {
      if (!mode().holdsFiles) await container.remove();
    };
    const priority = mode().isBackground(desired) ? 'background' : 'foreground';
    return this.#queue.run({ work, signal, owner: desired.workspaceId, priority, clear });
  }
}
