// What is special about an instance that is a sandbox: it is given to its owner and changed while it runs, it may be asleep, and
// what its owner put into it is never swapped for something empty.
import type { DesiredInstance, SandboxWish } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { ContainerState } from '../driver/driver.ts';
import { adopt } from '../sandbox/adopt.ts';
import type { RunningSandbox } from '../sandbox/keeper.ts';
import { bootVariables } from '../sandbox/sandbox-container.ts';
import { aborted } from './aborted.ts';
import { elapsedMs } from './bring-up-clock.ts';
import type { HeldContainer } from './held-container.ts';
import type { ConvergeTools, SandboxTools } from './tools.ts';

type DesiredSandbox = DesiredInstance & { readonly sandbox: SandboxWish };

export const isSandbox = (desired: DesiredInstance): desired is DesiredSandbox => desired.sandbox !== undefined;

/** Its present run. */
export type SandboxRun = Pick<RunningSandbox, 'containerId' | 'pid' | 'address'>;

type Tools = SandboxTools & Pick<ConvergeTools, 'network'> & { readonly logger: Logger };

export class SandboxInstance {
  readonly #id: string;
  readonly #container: Pick<HeldContainer, 'address' | 'isMadeForOwner'>;
  readonly #tools: Tools;
  /** What a run was last made to be, and which. */
  #applied: { readonly desired: DesiredSandbox; readonly run: SandboxRun } | undefined;
  /** Its present run has no owner yet, and was put to sleep until it has. */
  #isWaitingAsleep = false;

  constructor(id: string, container: Pick<HeldContainer, 'address' | 'isMadeForOwner'>, tools: Tools) {
    this.#id = id;
    this.#container = container;
    this.#tools = tools;
  }

  /** There is a guest to make one with. */
  get isOffered(): boolean {
    return this.#tools.guestFolder !== undefined;
  }

  /** Its owner has had it. */
  get isKept(): boolean {
    return this.#noted > 0;
  }

  /** The newest that is applied to the run that answers. */
  get generation(): number {
    return this.#applied?.desired.generation ?? 0;
  }

  /** Somebody may speak to it: it is its owner's, with all that is the owner's. */
  get isHandedOver(): boolean {
    return this.#applied?.desired.workspaceId !== undefined;
  }

  isBehind(desired: DesiredInstance): boolean {
    return isSandbox(desired) && this.generation < desired.generation;
  }

  /** The run that a newer wish can be applied to without asking the engine. */
  runBehind(desired: DesiredInstance): SandboxRun | undefined {
    return this.isBehind(desired) ? this.#applied?.run : undefined;
  }

  runIn(state: ContainerState | undefined): SandboxRun | undefined {
    const { address } = this.#container;
    if (state?.pid === undefined || address === undefined) return undefined;
    return { containerId: state.id, pid: state.pid, address };
  }

  /** Made ahead for anybody, but its owner wants what is settled when a guest starts. Nothing is lost: it was nobody's. */
  mustBeMadeAnew({ workspaceId, env }: DesiredSandbox): boolean {
    if (workspaceId === undefined || this.#container.isMadeForOwner || this.isKept) return false;
    return Object.keys(bootVariables(env, this.#tools.brand)).length > 0;
  }

  answers(address: string, port: number, signal: AbortSignal): Promise<boolean> {
    const answered = this.#tools.control.state({ instance: this.#id, address, port }).then(
      () => true,
      () => false,
    );
    return Promise.race([answered, aborted(signal).then(() => false)]);
  }

  /** Makes the run what is wanted. */
  async apply(desired: DesiredSandbox, run: SandboxRun): Promise<void> {
    const startedAt = performance.now();
    const isSameRun = this.#applied?.run.pid === run.pid;
    const before = isSameRun ? this.#applied?.desired : undefined;
    const { workspaceId, generation } = desired;
    const running = this.#running(desired, run);
    if (this.#isWaitingAsleep) await this.#tools.freezer.thaw(running);
    this.#isWaitingAsleep = false;
    if (workspaceId !== undefined) await adopt(running, { ...desired, workspaceId }, before, this.#tools);
    else await this.#makeReady(desired, running);
    this.#applied = { desired, run };
    const durationMs = elapsedMs(startedAt);
    this.#tools.logger.info(
      { event: 'sandbox.changed', instance: this.#id, generation, durationMs },
      'sandbox changed',
    );
  }

  /**
   * What its owner will have done to it is done once for nobody: code that has not run yet would keep the owner waiting. Then it sleeps
   * where being awake costs CPU, which is under gVisor.
   */
  async #makeReady({ generation, env }: DesiredSandbox, running: RunningSandbox): Promise<void> {
    const { control, freezer, logger } = this.#tools;
    await control.setEnvironment(running, { generation, environment: env });
    await control.rehearse(running);
    if (running.isolation !== 'gvisor') return;
    try {
      await freezer.freeze(running);
      this.#isWaitingAsleep = true;
    } catch (err) {
      logger.warn({ err, instance: this.#id }, 'a sandbox that waits for an owner does not sleep');
    }
  }

  /**
   * Of one that an earlier run of this process put to sleep: it is asked nothing, which it could not answer, and sleeps on unless there
   * is something that it has to hear. False when it is awake, or not known to have been anybody's; then it is woken, to be asked.
   */
  async takeOverAsleep(desired: DesiredSandbox, state: ContainerState): Promise<boolean> {
    const run = this.runIn(state);
    if (run === undefined || this.#applied !== undefined) return false;
    const running = this.#running(desired, run);
    if (!this.isKept) {
      await this.#tools.freezer.thaw(running);
      return false;
    }
    if (state.status !== 'paused' && !(await this.#tools.freezer.isFrozen(running))) return false;
    this.#tools.keeper.keep(running);
    if (this.#noted === desired.generation) this.#applied = { desired, run };
    else await this.apply(desired, run);
    return true;
  }

  /** Its run has ended or is about to: nobody has to care for its sleep any more. */
  async endRun(): Promise<void> {
    this.#applied = undefined;
    this.#isWaitingAsleep = false;
    await this.#tools.keeper.release(this.#id);
  }

  /** Nothing of it is left. */
  forget(): void {
    this.#tools.adopted.forget(this.#id);
    this.#tools.keeper.forget(this.#id);
  }

  get #noted(): number {
    return this.#tools.adopted.find(this.#id)?.generation ?? 0;
  }

  #running({ port, isolation, sandbox }: DesiredSandbox, run: SandboxRun): RunningSandbox {
    return { ...run, instance: this.#id, port, isolation, wish: sandbox };
  }
}
