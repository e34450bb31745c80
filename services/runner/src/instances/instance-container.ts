// The one container of an instance and its network slot: finds, creates and removes them.
import { type DesiredInstance, IsolationClass } from '@berth/contract/node';
import { type ContainerSpec, type ContainerState, containerLabels } from '../driver/driver.ts';
import { signalContainer } from '../driver/signal-container.ts';
import { membershipOf } from '../network/rules/membership.ts';
import type { NetworkSlot } from '../network/slots/network-slot.ts';
import { type InstanceRun, runName } from './instance-run.ts';
import type { WorkerDependencies } from './worker-dependencies.ts';

/** Label with the id of the container that holds the instance's network, so that the next runner process finds it. */
const slotLabel = 'berth.instance-slot';
const graceSeconds = 10;

/** What the mode of the instance adds to the creation of its container. */
interface Creation {
  readonly isBackground: boolean;
  /** Workspace with which the instance shares network slots, one after the other. */
  readonly sharesSlotsOf?: string | undefined;
  readonly spec: Partial<ContainerSpec>;
}

export class InstanceContainer {
  readonly #instance: string;
  readonly #deps: WorkerDependencies;
  #held:
    | {
        readonly id: string;
        readonly slot: NetworkSlot | undefined;
        readonly labels: Readonly<Record<string, string>>;
        readonly sharesSlotsOf?: string | undefined;
      }
    | undefined;
  /** The instance is new: no container exists yet, so there is none to look for. */
  #isFresh: boolean;

  constructor(instance: string, isFresh: boolean, deps: WorkerDependencies) {
    this.#instance = instance;
    this.#isFresh = isFresh;
    this.#deps = deps;
  }

  get address(): string | undefined {
    return this.#held?.slot?.address;
  }

  get id(): string | undefined {
    return this.#held?.id;
  }

  runIn(state: ContainerState | undefined): InstanceRun | undefined {
    const { address } = this;
    if (state?.pid === undefined || address === undefined) return undefined;
    return { containerId: state.id, pid: state.pid, address };
  }

  /** The container was created for its owner, not ahead for a warm pool. */
  get isMadeForOwner(): boolean {
    return this.#held?.labels[containerLabels.workspace] !== undefined;
  }

  /**
   * Current state in the engine. A container of an earlier run of this process is found by its labels and taken over.
   */
  async inspect(): Promise<ContainerState | undefined> {
    const { driver, output, disk } = this.#deps;
    const state = this.#held === undefined ? await this.#find() : await driver.inspect(this.#held.id);
    if (state === undefined) await this.#giveNetworkBack();
    else if (state.logFile !== undefined) output.follow(this.#instance, { id: state.id, logFile: state.logFile });
    if (state === undefined) disk?.forget(this.#instance);
    else disk?.follow(this.#instance, state);
    this.#meterEnd(state);
    return state;
  }

  /** The engine knows best when a process ended. A container that is gone ended at some time before. */
  #meterEnd(state: ContainerState | undefined): void {
    const { meter } = this.#deps;
    if (state === undefined || state.status === 'created') meter?.end(this.#instance);
    if (state?.status !== 'exited') return;
    const isSandbox = containerLabels.sandbox in state.labels;
    // A sandbox of an earlier process of the runner may have slept until its end, so its last mark counts.
    meter?.end(this.#instance, meter.timeAt(state.finishedAt), isSandbox ? undefined : runName(state));
  }

  /**
   * True when the network slot of the container is usable. For a container that does not run, an ended slot is started
   * again, for example after a reboot. gVisor takes over the addresses of its network, so it cannot start there twice.
   */
  async ensureNetwork(state: ContainerState, isolation: DesiredInstance['isolation']): Promise<boolean> {
    const slot = this.#held?.slot;
    if (state.status === 'running') return slot !== undefined;
    if (state.status === 'exited' && isolation === 'gvisor') return false;
    if (slot !== undefined && (await this.#deps.driver.inspect(slot.containerId))?.status === 'running') return true;
    return state.status !== 'paused' && this.#rewire(state);
  }

  async #rewire({ id, labels }: ContainerState): Promise<boolean> {
    const containerId = labels[slotLabel];
    if (containerId === undefined) return false;
    const slot = await this.#deps.network.restartSlot({ containerId, address: this.address });
    this.#held = { id, slot, labels };
    if (slot === undefined) return false;
    await this.#admit(slot, labels);
    return true;
  }

  async #admit(slot: NetworkSlot, labels: Readonly<Record<string, string>>): Promise<void> {
    const { network, sandboxes } = this.#deps;
    const workspaceId = labels[containerLabels.workspace];
    // The recorded adoption comes first: a label names no VPC.
    const noted = sandboxes.adopted.find(this.#instance);
    const membership = noted ?? (workspaceId === undefined ? undefined : { workspaceId });
    if (membership !== undefined) await network.admit(slot.address, membership);
  }

  async create(desired: DesiredInstance, { isBackground, sharesSlotsOf, spec }: Creation): Promise<void> {
    const { driver, network } = this.#deps;
    const membership = membershipOf(desired);
    this.#isFresh = false;
    const slot = await network.takeSlot({ isBackground, keptFor: sharesSlotsOf });
    const container = this.#containerSpec(desired, slot, spec);
    try {
      // A warm instance has no membership, so it gets no network access.
      const admitted = membership && network.admit(slot.address, membership);
      const created = driver.create(container);
      // Run in parallel: both are needed before the start, and they do not depend on each other.
      const [, made] = await Promise.allSettled([admitted, created]);
      if (made.status === 'fulfilled') this.#held = { id: made.value, slot, labels: container.labels, sharesSlotsOf };
      await Promise.all([admitted, created]);
    } catch (error) {
      if (this.#held !== undefined) await driver.remove(this.#held.id);
      this.#held = undefined;
      await network.releaseSlot(slot);
      throw error;
    }
  }

  #containerSpec(desired: DesiredInstance, slot: NetworkSlot, special: Creation['spec']): ContainerSpec {
    const { runnerId } = this.#deps;
    const { id, workspaceId, image, isolation, memoryMb, cpus, env } = desired;
    return {
      ...{ image, isolation, memoryMb, cpus, env },
      networkOf: slot.containerId,
      ...special,
      name: `berth-${id}`,
      labels: {
        [containerLabels.runner]: runnerId,
        [containerLabels.instance]: id,
        ...(workspaceId === undefined ? {} : { [containerLabels.workspace]: workspaceId }),
        // Empty unless the mode sets it: otherwise a label of the image would be taken for it.
        [containerLabels.diskMb]: '',
        ...special.labels,
        [slotLabel]: slot.containerId,
      },
    };
  }

  async start(): Promise<void> {
    if (this.#held !== undefined) await this.#deps.driver.start(this.#held.id);
  }

  async unpause(): Promise<void> {
    const { driver } = this.#deps;
    const state = this.#held && (await driver.inspect(this.#held.id));
    if (state?.status === 'paused') await driver.unpause(state);
  }

  /** A sandbox gets no grace period: it has nothing to tidy up, and its files are removed with it. */
  async stop(seconds = graceSeconds): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    const isSandbox = containerLabels.sandbox in held.labels;
    if (isSandbox) await this.#thaw(await this.#deps.driver.inspect(held.id));
    await this.#deps.driver.stop(held.id, isSandbox ? 0 : seconds);
  }

  /** Kills the processes at once. The engine notices by itself. */
  async kill(): Promise<void> {
    const state = await this.inspect();
    if (state === undefined) return;
    await this.#thaw(state);
    await signalContainer(state, 'SIGKILL');
  }

  /** Removes the container and its slot. Output that is not sent yet is kept. */
  async remove(seconds = graceSeconds): Promise<void> {
    const { driver, output, disk } = this.#deps;
    const state = await this.inspect();
    if (state === undefined) return;
    if (state.status === 'running' || state.status === 'paused') {
      await this.stop(seconds);
      await this.#meterStop(state.id);
    }
    if (state.logFile !== undefined) await output.keep(this.#instance, { id: state.id, logFile: state.logFile });
    await driver.remove(state.id);
    disk?.forget(this.#instance);
    const { slot, sharesSlotsOf } = this.#held ?? {};
    if (slot === undefined || sharesSlotsOf === undefined) return this.#giveNetworkBack();
    this.#held = undefined;
    await this.#deps.network.keepSlot(slot, sharesSlotsOf);
  }

  /** Removing a container takes the engine a while, in which nothing runs. */
  async #meterStop(id: string): Promise<void> {
    const { meter, driver } = this.#deps;
    if (meter !== undefined) this.#meterEnd(await driver.inspect(id).catch(() => undefined));
  }

  /** A frozen process does not die, and the engine would wait for it. */
  async #thaw(state: ContainerState | undefined): Promise<void> {
    const { sandboxes } = this.#deps;
    await sandboxes.sleep.release(this.#instance);
    const isolation = IsolationClass.safeParse(state?.labels[containerLabels.sandbox]).data;
    if (state?.pid === undefined || isolation === undefined) return;
    await sandboxes.freezer.thaw({ containerId: state.id, pid: state.pid, isolation });
  }

  async #find(): Promise<ContainerState | undefined> {
    if (this.#isFresh) return undefined;
    const { driver, network, runnerId } = this.#deps;
    const found = await driver.list({ name: containerLabels.instance, value: this.#instance });
    const state = found.find(({ labels }) => labels[containerLabels.runner] === runnerId);
    if (state === undefined) return undefined;
    const slotId = state.labels[slotLabel];
    const slot = slotId === undefined ? undefined : await network.adoptSlot(slotId);
    if (slot !== undefined) await this.#admit(slot, state.labels);
    this.#held = { id: state.id, slot, labels: state.labels };
    return state;
  }

  async #giveNetworkBack(): Promise<void> {
    const containerId = this.#held?.labels[slotLabel];
    if (containerId !== undefined) await this.#deps.network.releaseSlot({ containerId, address: this.address });
    this.#held = undefined;
  }
}
