// Brings the container of a task up: image, file, container, start. The file is written before the container is created,
// and is removed again only where the process cannot have run.
import type { TaskInstance } from '@berth/contract/node';
import { type ContainerSpec, containerLabels } from '../../driver/driver.ts';
import type { Failure } from '../../failures/failure.ts';
import { BringUpClock } from '../bring-up-clock.ts';
import { EngineQueue } from '../engine-queue.ts';
import type { InstanceContainer } from '../instance-container.ts';
import { pullUntilThere } from '../pull-image.ts';
import type { WorkerDependencies } from '../worker-dependencies.ts';

const taskSpec = ({ volumes = [], diskMb }: TaskInstance): Partial<ContainerSpec> => ({
  memoryVolumes: Object.fromEntries(volumes.map(({ mountPath, ...volume }) => [mountPath, volume])),
  labels: diskMb === undefined ? {} : { [containerLabels.diskMb]: String(diskMb) },
});

export class TaskBringUp {
  readonly clock = new BringUpClock();
  readonly #id: string;
  readonly #container: InstanceContainer;
  readonly #deps: Pick<WorkerDependencies, 'images' | 'tasks'>;
  readonly #queue: EngineQueue;

  constructor(id: string, container: InstanceContainer, deps: WorkerDependencies) {
    this.#id = id;
    this.#container = container;
    this.#deps = deps;
    this.#queue = new EngineQueue(deps.bringUps);
  }

  /** Undefined when the image is present, or when it is no longer wanted. */
  pull(desired: TaskInstance, signal: AbortSignal, report: (message: string) => void): Promise<Failure | undefined> {
    const { image, imageSource: source, workspaceId } = desired;
    const { images } = this.#deps;
    this.clock.begin();
    const pull = { images, request: { image, source, workspaceId }, signal, report };
    return this.clock.measure('pull', () => pullUntilThere(pull));
  }

  create(desired: TaskInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#queued(desired, signal, async () => {
      await this.#mark(desired);
      const creation = { isBackground: false, sharesSlotsOf: desired.workspaceId, spec: taskSpec(desired) };
      try {
        await this.clock.measure('create', () => this.#container.create(desired, creation));
      } catch (error) {
        // Only `start` runs the process. With the file, an engine that is away for a moment would lose the task.
        this.#deps.tasks.forget(this.#id);
        throw error;
      }
      await this.#startNow();
    });
  }

  /** Starts a container that was created by an earlier try. */
  start(desired: TaskInstance, signal: AbortSignal): Promise<Failure | undefined> {
    return this.#queued(desired, signal, async () => {
      await this.#mark(desired);
      await this.#startNow();
    });
  }

  /**
   * Removes a container whose process never ran. The file goes first: a kill in between leaves a container that can still
   * be started, and not a file without a container, which means that the task is lost.
   */
  async discard(): Promise<void> {
    this.#deps.tasks.forget(this.#id);
    await this.#container.remove(0);
  }

  #mark({ graceSeconds }: TaskInstance): Promise<void> {
    return this.#deps.tasks.save(this.#id, { graceSeconds });
  }

  async #startNow(): Promise<void> {
    await this.clock.measure('start', () => this.#container.start());
  }

  #queued(desired: TaskInstance, signal: AbortSignal, work: () => Promise<void>): Promise<Failure | undefined> {
    const clear = async (): Promise<void> => {
      if ((await this.#container.inspect())?.status === 'created') await this.discard();
    };
    return this.#queue.run({ work, signal, owner: desired.workspaceId, priority: 'batch', clear });
  }
}
