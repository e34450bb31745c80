// The one container of an instance and its network slot: finds, creates and removes them.
import { type DesiredInstance, IsolationClass } from '@berth/contract';
import { type ContainerState, type ContainerWish, containerLabels } from '../driver/driver.ts';
import { signalContainer } from '../driver/signal-container.ts';
import { membershipOf } from '../network/rules/membership.ts';
import type { NetworkSlot } from '../network/slots/network-slot.ts';
import { sandboxContainer } from '../sandbox/sandbox-container.ts';
import { isForLater } from './is-for-later.ts';
import type { ConvergeTools } from './tools.ts';

/** Label with the id of the container that holds the instance's network, so that the next runner process finds it. */
const slotLabel = 'berth.instance-slot';
const graceSeconds = 10;

export class HeldContainer {
  readonly #instance: string;
  readonly #tools: ConvergeTools;
  #held:
    | {
        readonly id: string;
        readonly slot: NetworkSlot | undefined;
        readonly labels: Readonly<Record<string, string>>;
      }
    | undefined;
  /** The instance is new: no container exists yet, so there is none to look for. */
  #isFresh: boolean;

  constructor(instance: string, isFresh: boolean, tools: ConvergeTools) {
    this.#instance = instance;
    this.#isFresh = isFresh;
    this.#tools = tools;
  }

  get address(): string | undefined {
    return this.#held?.slot?.address;
  }

  get id(): string | undefined {
    return this.#held?.id;
  }

  /** The container was created for its owner, not ahead for a warm pool. */
  get isMadeForOwner(): boolean {
    return this.#held?.labels[containerLabels.workspace] !== undefined;
  }

  /**
   * Current state in the engine. A container of an earlier run of this process is found by its labels and taken over.
   */
  async look(): Promise<ContainerState | undefined> {
    const { driver, output, disk } = this.#tools;
    const state = this.#held === undefined ? await this.#find() : await driver.inspect(this.#held.id);
    if (state === undefined) await this.#giveNetworkBack();
    else if (state.logFile !== undefined) output.follow(this.#instance, { id: state.id, logFile: state.logFile });
    if (state === undefined) disk?.forget(this.#instance);
    else disk?.follow(this.#instance, state);
    return state;
  }

  /**
   * True when the network slot of the container is usable. For a container that does not run, an ended slot is started
   * again, for example after a reboot. gVisor takes over the addresses of its network, so it cannot start there twice.
   */
  async wire(state: ContainerState, isolation: DesiredInstance['isolation']): Promise<boolean> {
    const slot = this.#held?.slot;
    if (state.status === 'running') return slot !== undefined;
    if (state.status === 'exited' && isolation === 'gvisor') return false;
    if (slot !== undefined && (await this.#tools.driver.inspect(slot.containerId))?.status === 'running') return true;
    return state.status !== 'paused' && this.#rewire(state);
  }

  async #rewire({ id, labels }: ContainerState): Promise<boolean> {
    const containerId = labels[slotLabel];
    if (containerId === undefined) return false;
    const slot = await this.#tools.network.restartSlot({ containerId, address: this.address });
    this.#held = { id, slot, labels };
    if (slot === undefined) return false;
    await this.#admit(slot, labels);
    return true;
  }

  async #admit(slot: NetworkSlot, labels: Readonly<Record<string, string>>): Promise<void> {
    const { network, sandboxes } = this.#tools;
    const workspaceId = labels[containerLabels.workspace];
    // The adopted book comes first: a label names no VPC.
    const noted = sandboxes?.adopted.find(this.#instance);
    const membership = noted ?? (workspaceId === undefined ? undefined : { workspaceId });
    if (membership !== undefined) await network.admit(slot.address, membership);
  }

  async create(desired: DesiredInstance): Promise<void> {
    const { driver, network } = this.#tools;
    const membership = membershipOf(desired);
    this.#isFresh = false;
    const slot = await network.takeSlot({ isForLater: isForLater(desired) });
    const wish = this.#wish(desired, slot);
    try {
      // A warm instance has no membership, so it gets no network access.
      const admitted = membership && network.admit(slot.address, membership);
      const created = driver.create(wish);
      // Run in parallel: both are needed before the start, and they do not depend on each other.
      const [, made] = await Promise.allSettled([admitted, created]);
      if (made.status === 'fulfilled') this.#held = { id: made.value, slot, labels: wish.labels };
      await Promise.all([admitted, created]);
    } catch (error) {
      if (this.#held !== undefined) await driver.remove(this.#held.id);
      this.#held = undefined;
      await network.releaseSlot(slot);
      throw error;
    }
  }

  #wish(desired: DesiredInstance, slot: NetworkSlot): ContainerWish {
    const { runnerId, sandboxes } = this.#tools;
    const { id, workspaceId, image, isolation, memoryMb, cpus, env } = desired;
    const guest =
      desired.sandbox && sandboxes?.guestFolder ? { ...sandboxes, guestFolder: sandboxes.guestFolder } : undefined;
    return {
      name: `berth-${id}`,
      labels: {
        [containerLabels.runner]: runnerId,
        [containerLabels.instance]: id,
        ...(workspaceId === undefined ? {} : { [containerLabels.workspace]: workspaceId }),
        ...(guest === undefined ? {} : { [containerLabels.sandbox]: isolation }),
        [slotLabel]: slot.containerId,
      },
      ...{ image, isolation, memoryMb, cpus, env },
      networkOf: slot.containerId,
      ...(guest === undefined ? {} : sandboxContainer(desired, guest)),
    };
  }

  async start(): Promise<void> {
    if (this.#held !== undefined) await this.#tools.driver.start(this.#held.id);
  }

  async unpause(): Promise<void> {
    const { driver } = this.#tools;
    const state = this.#held && (await driver.inspect(this.#held.id));
    if (state?.status === 'paused') await driver.unpause(state);
  }

  /** A sandbox gets no grace period: it has nothing to tidy up, and its files are removed with it. */
  async stop(seconds = graceSeconds): Promise<void> {
    const held = this.#held;
    if (held === undefined) return;
    const isSandbox = containerLabels.sandbox in held.labels;
    if (isSandbox) await this.#thaw(await this.#tools.driver.inspect(held.id));
    await this.#tools.driver.stop(held.id, isSandbox ? 0 : seconds);
  }

  /** Kills the processes at once. The engine notices by itself. */
  async kill(): Promise<void> {
    const state = await this.look();
    if (state === undefined) return;
    await this.#thaw(state);
    await signalContainer(state, 'SIGKILL');
  }

  /** Removes the container and its slot. Output that is not sent yet is kept. */
  async remove(seconds = graceSeconds): Promise<void> {
    const { driver, output, disk } = this.#tools;
    const state = await this.look();
    if (state === undefined) return;
    await this.stop(seconds);
    if (state.logFile !== undefined) await output.keep(this.#instance, { id: state.id, logFile: state.logFile });
    await driver.remove(state.id);
    disk?.forget(this.#instance);
    await this.#giveNetworkBack();
  }

  /** A frozen process does not die, and the engine would wait for it. */
  async #thaw(state: ContainerState | undefined): Promise<void> {
    const { sandboxes } = this.#tools;
    await sandboxes?.keeper.release(this.#instance);
    const isolation = IsolationClass.safeParse(state?.labels[containerLabels.sandbox]).data;
    if (state?.pid === undefined || isolation === undefined) return;
    await sandboxes?.freezer.thaw({ containerId: state.id, pid: state.pid, isolation });
  }

  async #find(): Promise<ContainerState | undefined> {
    if (this.#isFresh) return undefined;
    const { driver, network, runnerId } = this.#tools;
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
    if (containerId !== undefined) await this.#tools.network.releaseSlot({ containerId, address: this.address });
    this.#held = undefined;
  }
}
