// A sandbox: it may wait warm for an owner, is adopted and changed while it runs, and sleeps. The files of an owner are
// never replaced by an empty container.

import type { SandboxInstance } from '@berth/contract/node';
import { type ContainerSpec, type ContainerState, containerLabels } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';
import type { Admission } from '../../ingress/endpoint.ts';
import { adopt } from '../../sandbox/adopt.ts';
import { bootVariables, sandboxContainer } from '../../sandbox/sandbox-container.ts';
import type { RunningSandbox } from '../../sleep/running-sandbox.ts';
import { sandboxLeaseKeepMs } from '../../sleep/sleep-manager.ts';
import { aborted } from '../aborted.ts';
import { elapsedMs } from '../bring-up-clock.ts';
import { noGuest, portClosed } from '../explain.ts';
import type { InstanceContainer } from '../instance-container.ts';
import type { InstanceRun } from '../instance-run.ts';
import type { ListeningPorts } from '../listening-ports.ts';
import type { PendingCallers } from '../pending-callers.ts';
import { recordChange } from '../record-change.ts';
import type { WorkerDependencies } from '../worker-dependencies.ts';
import type { InstanceMode, ModeFactory, ModeOptions } from './mode.ts';

type Dependencies = WorkerDependencies['sandboxes'] &
  Pick<WorkerDependencies, 'network' | 'logger' | 'spans'> & {
    readonly meter: WorkerDependencies['meter'] | undefined;
  };

class SandboxMode implements InstanceMode<SandboxInstance> {
  readonly name = 'sandbox';
  readonly acceptsCalls = true;
  readonly restartNote = ' Its files are kept; processes that ran in it are not.';
  readonly #id: string;
  readonly #container: InstanceContainer;
  readonly #deps: Dependencies;
  /** The desired state that was applied last, and the run it was applied to. */
  #applied: { readonly desired: SandboxInstance; readonly run: InstanceRun } | undefined;
  /** The current run has no owner yet and is frozen until it gets one. */
  #isFrozenWarm = false;

  constructor({ instance, container, deps: { network, logger, sandboxes, meter, spans } }: ModeOptions) {
    this.#id = instance;
    this.#container = container;
    this.#deps = { ...sandboxes, network, logger, meter, spans };
  }

  /** Sandboxes are created only where a guest is configured. */
  get unavailable(): Failure | undefined {
    return this.#deps.guestFolder === undefined ? noGuest : undefined;
  }

  /** True for a warm sandbox: it has no owner yet. */
  isBackground({ workspaceId }: SandboxInstance): boolean {
    return workspaceId === undefined;
  }

  containerSpec(desired: SandboxInstance): Partial<ContainerSpec> {
    const { guestFolder } = this.#deps;
    if (guestFolder === undefined) return {};
    const labels = { [containerLabels.sandbox]: desired.isolation };
    return { labels, ...sandboxContainer(desired, { ...this.#deps, guestFolder }) };
  }

  /** Asks the guest: the port is open before the guest is up. */
  probe({ port }: SandboxInstance, address: string, signal: AbortSignal): Promise<boolean> {
    const answered = this.#deps.control.state({ instance: this.#id, address, port }).then(
      () => true,
      () => false,
    );
    return Promise.race([answered, aborted(signal).then(() => false)]);
  }

  startTimeoutSeconds({ startTimeoutSeconds }: SandboxInstance): number {
    return startTimeoutSeconds;
  }

  noAnswer({ port }: SandboxInstance, ports: ListeningPorts): Failure {
    return portClosed(port, ports);
  }

  /**
   * Takes over a sandbox that an earlier run of this process froze. A frozen guest cannot answer, so it is not probed,
   * and it stays asleep unless a newer generation has to be applied. False when it is awake, or when it has no known
   * owner: then it is thawed so that it can be probed.
   */
  async takeOver(desired: SandboxInstance, state: ContainerState): Promise<boolean> {
    const run = this.#container.runIn(state);
    if (run === undefined || this.#applied !== undefined) return false;
    const running = this.#running(desired, run);
    if (!this.holdsFiles) {
      await this.#deps.freezer.thaw(running);
      return false;
    }
    if (state.status !== 'paused' && !(await this.#deps.freezer.isFrozen(running))) return false;
    this.#deps.sleep.manage(running);
    if (this.#adoptedGeneration === desired.generation) this.#applied = { desired, run };
    else await this.apply(desired, run);
    return true;
  }

  /** The sleep manager meters an owned sandbox while it is awake. */
  becameReady(): void {}

  get generation(): number {
    return this.#applied?.desired.generation ?? 0;
  }

  get appliedRun(): InstanceRun | undefined {
    return this.#applied?.run;
  }

  isBehind({ generation }: SandboxInstance): boolean {
    return this.generation < generation;
  }

  /** A warm sandbox cannot get variables that a guest reads only at its start. */
  needsNewContainer({ workspaceId, env }: SandboxInstance): boolean {
    if (workspaceId === undefined || this.#container.isMadeForOwner || this.holdsFiles) return false;
    return Object.keys(bootVariables(env, this.#deps.brand)).length > 0;
  }

  async apply(desired: SandboxInstance, run: InstanceRun): Promise<void> {
    const startedAt = performance.now();
    const isSameRun = this.#applied?.run.pid === run.pid;
    const before = isSameRun ? this.#applied?.desired : undefined;
    const { workspaceId, generation } = desired;
    const running = this.#running(desired, run);
    if (this.#isFrozenWarm) await this.#deps.freezer.thaw(running);
    this.#isFrozenWarm = false;
    if (workspaceId !== undefined) await adopt(running, { ...desired, workspaceId }, before, this.#deps);
    else await this.#warmUp(desired, running);
    this.#applied = { desired, run };
    const durationMs = elapsedMs(startedAt);
    const fields = { instance: this.#id, generation, durationMs };
    this.#deps.logger.info({ event: 'sandbox.changed', ...fields }, 'sandbox changed');
    const { traceparent } = desired;
    recordChange(this.#deps.spans, { name: 'sandbox.changed', traceparent, durationMs, fields });
  }

  /** The sandbox takes connections once it belongs to its owner and is set up completely. */
  openPort({ port }: SandboxInstance): number | undefined {
    return this.#applied?.desired.workspaceId === undefined ? undefined : port;
  }

  /** Waits for the handover to the owner: the first connection may arrive before it. Then wakes a sleeping sandbox. */
  async open(callers: PendingCallers): Promise<Admission> {
    const endpoint = await callers.untilEndpoint();
    if (endpoint === undefined) return { is: 'unknown' };
    const opened = await this.#deps.sleep.open(this.#id);
    return opened.is === 'open' ? { is: 'open', endpoint, keepMs: sandboxLeaseKeepMs } : opened;
  }

  /** The sandbox was adopted, so it may hold files of its owner. */
  get holdsFiles(): boolean {
    return this.#adoptedGeneration > 0;
  }

  isAwaited({ workspaceId }: SandboxInstance): boolean {
    return workspaceId !== undefined && !this.holdsFiles;
  }

  get removal(): 'drain' | 'kill' {
    return this.holdsFiles ? 'kill' : 'drain';
  }

  /** The sleep manager stops managing the run. */
  async endRun(): Promise<void> {
    this.#applied = undefined;
    this.#isFrozenWarm = false;
    await this.#deps.sleep.release(this.#id);
  }

  forget(): void {
    this.#deps.adopted.forget(this.#id);
    this.#deps.sleep.forget(this.#id);
  }

  /**
   * Does the steps of an adoption once ahead, because code that has not run yet would delay the owner. Then freezes the
   * warm sandbox under gVisor, where being awake costs CPU.
   */
  async #warmUp({ generation, env }: SandboxInstance, running: RunningSandbox): Promise<void> {
    const { control, freezer, logger } = this.#deps;
    await control.setEnvironment(running, { generation, environment: env });
    await control.warmUp(running);
    if (running.isolation !== 'gvisor') return;
    try {
      await freezer.freeze(running);
      this.#isFrozenWarm = true;
    } catch (err) {
      logger.warn({ err, instance: this.#id }, 'freeze of warm sandbox failed; it stays awake');
    }
  }

  get #adoptedGeneration(): number {
    return this.#deps.adopted.find(this.#id)?.generation ?? 0;
  }

  #running({ port, isolation, sandbox, memoryMb }: SandboxInstance, run: InstanceRun): RunningSandbox {
    return { ...run, instance: this.#id, port, isolation, settings: sandbox, memoryMb };
  }
}

export const sandboxMode: ModeFactory<SandboxInstance> = (options) => new SandboxMode(options);
