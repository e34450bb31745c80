// Brings the container of an instance up, stage by stage, until the instance answers.
import type { DesiredInstance } from '@berth/contract';
import type { Bell } from '@berth/pace';
import type { Failure } from '../failures/failure.ts';
import { type Answering, awaitAnswer } from './await-answer.ts';
import { BringUpClock } from './bring-up-clock.ts';
import { EngineTurn } from './engine-turn.ts';
import { noGuest } from './explain.ts';
import type { HeldContainer } from './held-container.ts';
import { isForLater } from './is-for-later.ts';
import { isListening } from './probe.ts';
import { pullUntilThere } from './pull-image.ts';
import type { RunRecord } from './run-record.ts';
import { isSandbox, type SandboxInstance } from './sandbox-instance.ts';
import type { ConvergeTools } from './tools.ts';

export interface BringUpParts {
  readonly container: HeldContainer;
  /** Absent when the runner offers no sandboxes. */
  readonly sandbox: SandboxInstance | undefined;
  readonly bell: Bell;
  readonly record: RunRecord;
}

export class BringUp {
  readonly clock = new BringUpClock();
  readonly #parts: BringUpParts;
  readonly #images: ConvergeTools['images'];
  readonly #turns: EngineTurn;

  constructor(parts: BringUpParts, { images, bringUps }: Pick<ConvergeTools, 'images' | 'bringUps'>) {
    this.#parts = parts;
    this.#images = images;
    this.#turns = new EngineTurn(bringUps);
  }

  /** Undefined when the image is present, or when it is no longer wanted. */
  async pull(
    desired: DesiredInstance,
    signal: AbortSignal,
    say: (message: string) => void,
  ): Promise<Failure | undefined> {
    if (isSandbox(desired) && !this.#parts.sandbox?.isOffered) return noGuest;
    this.clock.begin();
    const { image, imageSource: source, workspaceId = source?.workspaceId } = desired;
    const pull = { images: this.#images, wish: { image, source, workspaceId }, signal, say };
    return this.clock.measure('pull', () => pullUntilThere(pull));
  }

  create(desired: DesiredInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#take(desired, signal, async () => {
      await this.clock.measure('create', () => this.#parts.container.create(desired));
      await this.#startNow(desired, signal);
    });
  }

  start(desired: DesiredInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#take(desired, signal, () => this.#startNow(desired, signal));
  }

  /**
   * True if the instance answers now. A sandbox is asked through its guest: its port is open before the guest is up.
   */
  ask(desired: DesiredInstance, address: string, signal: AbortSignal): Promise<boolean> {
    const { sandbox } = this.#parts;
    if (isSandbox(desired) && sandbox) return sandbox.answers(address, desired.port, signal);
    return isListening(address, desired.port);
  }

  answer(desired: DesiredInstance, address: string, signal: AbortSignal): Promise<Answering> {
    const { bell, container } = this.#parts;
    return awaitAnswer({
      ask: () => this.ask(desired, address, signal),
      timeoutMs: desired.startTimeoutSeconds * 1_000,
      bell,
      isRunning: async () => (await container.look())?.status === 'running',
      signal,
    });
  }

  async #startNow(desired: DesiredInstance, signal: AbortSignal): Promise<void> {
    const { container, record } = this.#parts;
    await this.clock.measure('start', () => container.start());
    record.started();
    // A starting guest uses more CPU than the engine, so the turn of a warm sandbox lasts until its guest answers.
    const { address } = container;
    if (isForLater(desired) && address !== undefined) await this.answer(desired, address, signal);
  }

  #take(desired: DesiredInstance, signal: AbortSignal, work: () => Promise<void>): Promise<Failure | undefined> {
    const { container, sandbox } = this.#parts;
    const clear = async (): Promise<void> => {
      if (!sandbox?.isKept) await container.remove();
    };
    return this.#turns.take({ work, signal, owner: desired.workspaceId, isForLater: isForLater(desired), clear });
  }
}
