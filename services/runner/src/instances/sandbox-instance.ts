// The sandbox part of an instance: adoption by an owner, changes while it runs, and sleep. The files of an owner are
// never replaced by an empty container.
import type { DesiredInstance, SandboxWish } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { ContainerState } from '../driver/driver.ts';
import { adopt } from '../sandbox/adopt.ts';
import { bootVariables } from '../sandbox/sandbox-container.ts';
import type { RunningSandbox } from '../sleep/keeper.ts';
import { aborted } from './aborted.ts';
import { elapsedMs } from './bring-up-clock.ts';
import type { HeldContainer } from './held-container.ts';
import type { ConvergeTools, SandboxTools } from './tools.ts';

type DesiredSandbox = DesiredInstance & { readonly sandbox: SandboxWish };

export const isSandbox = (desired: DesiredInstance): desired is DesiredSandbox => desired.sandbox !== undefined;

/** Current run of a sandbox. */
export type SandboxRun = Pick<RunningSandbox, 'containerId' | 'pid' | 'address'>;

type Tools = SandboxTools & Pick<ConvergeTools, 'network'> & { readonly logger: Logger };

export class SandboxInstance {
  readonly #id: string;
  readonly #container: Pick<HeldContainer, 'address' | 'isMadeForOwner'>;
  readonly #tools: Tools;
  /** The desired state that was applied last, and the run it was applied to. */
  #applied: { readonly desired: DesiredSandbox; readonly run: SandboxRun } | undefined;
  /** The current run has no owner yet and is frozen until it gets one. */
  #isWaitingAsleep = false;

  constructor(id: string, container: Pick<HeldContainer, 'address' | 'isMadeForOwner'>, tools: Tools) {
    this.#id = id;
    this.#container = container;
    this.#tools = tools;
  }

  /** A guest is configured, so sandboxes can be created. */
  get isOffered(): boolean {
    return this.#tools.guestFolder !== undefined;
  }

  /** The sandbox was adopted, so it may hold files of its owner. */
  get isKept(): boolean {
    return this.#noted > 0;
  }

  /** Newest generation that is applied to the current run. */
  get generation(): number {
    return this.#applied?.desired.generation ?? 0;
  }

  /** The sandbox belongs to its owner and is set up completely, so connections are allowed. */
  get isHandedOver(): boolean {
    return this.#applied?.desired.workspaceId !== undefined;
  }

  isBehind(desired: DesiredInstance): boolean {
    return isSandbox(desired) && this.generation < desired.generation;
  }

  /** The run to which a newer generation can be applied without a call to the engine. */
  runBehind(desired: DesiredInstance): SandboxRun | undefined {
    return this.isBehind(desired) ? this.#applied?.run : undefined;
  }

  runIn(state: ContainerState | undefined): SandboxRun | undefined {
    const { address } = this.#container;
    if (state?.pid === undefined || address === undefined) return undefined;
    return { containerId: state.id, pid: state.pid, address };
  }

  /**
   * A warm sandbox cannot get variables that a guest reads only at its start. It has no owner, so no files are lost.
   */
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

  /** Applies the desired state to the run. */
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
   * Does the steps of an adoption once ahead, because code that has not run yet would delay the owner. Then freezes the
   * warm sandbox under gVisor, where being awake costs CPU.
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
   * Takes over a sandbox that an earlier run of this process froze. A frozen guest cannot answer, so it is not probed,
   * and it stays asleep unless a newer generation has to be applied. False when it is awake, or when it has no known
   * owner: then it is thawed so that it can be probed.
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

  /** The run has ended or is about to end, so the keeper stops managing its sleep. */
  async endRun(): Promise<void> {
    this.#applied = undefined;
    this.#isWaitingAsleep = false;
    await this.#tools.keeper.release(this.#id);
  }

  /** Nothing of the sandbox is left on this machine. */
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
