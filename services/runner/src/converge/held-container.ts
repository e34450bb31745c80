// The one container of an instance: found, made and taken away, together with the network it lives in.
import type { DesiredInstance } from '@berth/contract';
import { type ContainerState, containerLabels } from '../driver/driver.ts';
import type { NetworkSlot } from '../network/network.ts';
import type { ConvergeTools } from './tools.ts';

/** On an instance's container: which container holds its network, so that a later runner finds it. */
const slotLabel = 'berth.instance-slot';
const graceSeconds = 10;

export class HeldContainer {
  readonly #instance: string;
  readonly #tools: ConvergeTools;
  #held: { readonly id: string; readonly slot: NetworkSlot | undefined } | undefined;
  /** Nobody has made a container for it yet, so there is none to look for. */
  #isFresh: boolean;

  constructor(instance: string, isFresh: boolean, tools: ConvergeTools) {
    this.#instance = instance;
    this.#isFresh = isFresh;
    this.#tools = tools;
  }

  get address(): string | undefined {
    return this.#held?.slot?.address;
  }

  /** As the engine shows it now. A container of an earlier run of this process is found by its labels and taken over. */
  async look(): Promise<ContainerState | undefined> {
    const { driver, output } = this.#tools;
    const state = this.#held === undefined ? await this.#find() : await driver.inspect(this.#held.id);
    if (state === undefined) await this.#giveNetworkBack();
    else if (state.logFile !== undefined) output.follow(this.#instance, { id: state.id, logFile: state.logFile });
    return state;
  }

  /** gVisor takes the addresses of its network into itself, so nothing can be started in it a second time. */
  async isWired(state: ContainerState, isolation: DesiredInstance['isolation']): Promise<boolean> {
    const slot = this.#held?.slot;
    if (slot === undefined) return false;
    if (state.status === 'running') return true;
    if (state.status === 'exited' && isolation === 'gvisor') return false;
    return (await this.#tools.driver.inspect(slot.containerId))?.status === 'running';
  }

  async create(desired: DesiredInstance): Promise<void> {
    const { driver, network, runnerId } = this.#tools;
    this.#isFresh = false;
    const slot = await network.takeSlot();
    try {
      const admitted = network.admit(slot.address, desired.workspaceId);
      const created = driver.create({
        name: `berth-${desired.id}`,
        image: desired.image,
        labels: {
          [containerLabels.runner]: runnerId,
          [containerLabels.instance]: desired.id,
          [containerLabels.workspace]: desired.workspaceId,
          [slotLabel]: slot.containerId,
        },
        isolation: desired.isolation,
        env: desired.env,
        memoryMb: desired.memoryMb,
        cpus: desired.cpus,
        networkOf: slot.containerId,
      });
      // Beside each other: both are needed before the start, neither needs the other.
      const [, made] = await Promise.allSettled([admitted, created]);
      if (made.status === 'fulfilled') this.#held = { id: made.value, slot };
      await Promise.all([admitted, created]);
    } catch (error) {
      if (this.#held !== undefined) await driver.remove(this.#held.id);
      this.#held = undefined;
      await network.releaseSlot(slot);
      throw error;
    }
  }

  async start(): Promise<void> {
    if (this.#held !== undefined) await this.#tools.driver.start(this.#held.id);
  }

  async unpause(): Promise<void> {
    if (this.#held !== undefined) await this.#tools.driver.unpause(this.#held.id);
  }

  async stop(): Promise<void> {
    if (this.#held !== undefined) await this.#tools.driver.stop(this.#held.id, graceSeconds);
  }

  /** Whatever is left of it; its output stays until it is sent. */
  async remove(): Promise<void> {
    const { driver, output } = this.#tools;
    const state = await this.look();
    if (state === undefined) return;
    await this.stop();
    if (state.logFile !== undefined) await output.keep(this.#instance, { id: state.id, logFile: state.logFile });
    await driver.remove(state.id);
    await this.#giveNetworkBack();
  }

  async #find(): Promise<ContainerState | undefined> {
    if (this.#isFresh) return undefined;
    const { driver, network, runnerId } = this.#tools;
    const found = await driver.list({ name: containerLabels.instance, value: this.#instance });
    const state = found.find(({ labels }) => labels[containerLabels.runner] === runnerId);
    if (state === undefined) return undefined;
    const slotId = state.labels[slotLabel];
    const slot = slotId === undefined ? undefined : await network.adoptSlot(slotId);
    const workspace = state.labels[containerLabels.workspace];
    if (slot !== undefined && workspace !== undefined) await network.admit(slot.address, workspace);
    this.#held = { id: state.id, slot };
    return state;
  }

  async #giveNetworkBack(): Promise<void> {
    const slot = this.#held?.slot;
    if (slot !== undefined) await this.#tools.network.releaseSlot(slot);
    this.#held = undefined;
  }
}
