import { isolationClasses } from '@berth/contract/node';
import { z } from 'zod';
import { openOutOfMemoryLog } from '../machine/out-of-memory-log.ts';
import { wholeDisk } from '../machine/whole-disk.ts';
import { containerLayer } from './container-layer.ts';
import { containerSettings, type EngineOffer, limitSettings } from './container-settings.ts';
import { containerState, containerUsage } from './container-state.ts';
import { answered, answeredIfThere, answeredOr, openDocker, statusOf } from './docker-client.ts';
import { containerEvents } from './docker-events.ts';
import { pullImage } from './docker-pull.ts';
import type { ContainerState, Driver, Pausable } from './driver.ts';
import { engineName } from './engine-name.ts';

export interface DockerDriverOptions {
  /** URL of the engine's socket, `unix:///…`. */
  readonly dockerUrl: string;
  /** The engine's name of the OCI runtime, by isolation class. */
  readonly runtimes?: EngineOffer['runtimes'];
  /** Limit for each container on the engine's disk, for reads and for writes. */
  readonly diskMbPerSecond?: number | undefined;
}

const defaultRuntimes = { runc: 'runc', gvisor: 'runsc' };
const gone = 404;
const notModified = 304;
// The image or container is in use, or is already being removed.
const conflict = 409;
const failed = 500;
// Time for the engine's own work, in addition to the container's grace period.
const stopMarginSeconds = 60;

const Runtime = z.object({ runtimeArgs: z.array(z.string()).nullish() });
const Info = z.object({ NCPU: z.number(), DockerRootDir: z.string(), Runtimes: z.record(z.string(), Runtime) });

export function createDockerDriver(options: DockerDriverOptions): Driver {
  const { dockerUrl, runtimes = defaultRuntimes, diskMbPerSecond } = options;
  const docker = openDocker(dockerUrl);
  const outOfMemoryLog = openOutOfMemoryLog();
  const info = async () => Info.parse(await answered(docker.info()));
  let asked: Promise<EngineOffer> | undefined;

  /** Cached. A failure is not cached, so the next call asks the engine again. */
  function offer(): Promise<EngineOffer> {
    asked ??= askOffer().catch((error) => {
      asked = undefined;
      throw error;
    });
    return asked;
  }

  async function askOffer(): Promise<EngineOffer> {
    const { NCPU: cores, DockerRootDir } = await info();
    if (diskMbPerSecond === undefined) return { cores, runtimes };
    const device = await wholeDisk(DockerRootDir);
    if (device === undefined)
      throw new Error(`runner.diskMbPerSecond cannot be held: ${DockerRootDir} lies on no disk of this machine.`);
    return { cores, runtimes, disk: { device, mbPerSecond: diskMbPerSecond } };
  }

  async function inspect(id: string): Promise<ContainerState | undefined> {
    const found = await answeredIfThere(docker.getContainer(id).inspect());
    return found && containerState(found, await containerLayer(found), runtimes, outOfMemoryLog);
  }

  const pause = ({ id }: Pausable): Promise<void> => answered(docker.getContainer(id).pause());
  const unpause = ({ id }: Pausable): Promise<void> => answered(docker.getContainer(id).unpause());

  /**
   * The engine needs ten seconds to end a paused gVisor container. The unpause fails, and is ignored, if the container
   * has resumed or is gone.
   */
  async function unpauseToEnd(id: string): Promise<void> {
    const state = await inspect(id);
    if (state?.status === 'paused') await answeredOr([gone, conflict, failed], unpause(state));
  }

  return {
    async dataFolder() {
      return (await info()).DockerRootDir;
    },

    async isolationClasses() {
      const { Runtimes } = await info();
      return isolationClasses.filter((isolation) => runtimes[isolation] in Runtimes);
    },

    async runtimeArguments(isolation) {
      return (await info()).Runtimes[runtimes[isolation]]?.runtimeArgs ?? [];
    },

    async imageId(image) {
      return (await answeredIfThere(docker.getImage(engineName(image)).inspect()))?.Id;
    },

    async imageBytes(image) {
      return (await answeredIfThere(docker.getImage(engineName(image)).inspect()))?.Size;
    },

    pull: async (pull) => pullImage(docker, { ...pull, image: engineName(pull.image) }),

    async removeImage(image) {
      try {
        await answeredOr([gone], docker.getImage(engineName(image)).remove());
        return true;
      } catch (error) {
        if (statusOf(error) === conflict) return false;
        throw error;
      }
    },

    async create(wish) {
      const settings = containerSettings({ ...wish, image: engineName(wish.image) }, await offer());
      return (await answered(docker.createContainer(settings))).id;
    },

    start: (id) => answeredOr([notModified], docker.getContainer(id).start()),

    async stop(id, graceSeconds) {
      await unpauseToEnd(id);
      const stopping = docker.getContainer(id).stop({ t: Math.ceil(graceSeconds) });
      await answeredOr([notModified, gone], stopping, graceSeconds + stopMarginSeconds);
    },

    pause,

    unpause,

    async update(id, limits) {
      const container = docker.getContainer(id);
      const settings = limitSettings(limits, (await offer()).cores);
      // Under cgroup v1 memory may not exceed memory plus swap, and gVisor would set memory first.
      const { HostConfig } = await answered(container.inspect());
      const grows = (settings.Memory ?? 0) > (HostConfig.Memory ?? 0);
      if (grows) await answered(container.update({ MemorySwap: settings.MemorySwap }));
      await answered(container.update(settings));
    },

    inspect,

    async list({ name, value }) {
      const filters = { label: [`${name}=${value}`] };
      const found = await answered(docker.listContainers({ all: true, filters }));
      const states = await Promise.all(found.map(({ Id }) => inspect(Id)));
      return states.filter((state) => state !== undefined);
    },

    async stats(id) {
      const answer = await answeredIfThere(docker.getContainer(id).stats({ stream: false, 'one-shot': true }));
      return answer && containerUsage(answer);
    },

    async remove(id) {
      await unpauseToEnd(id);
      await answeredOr([gone, conflict], docker.getContainer(id).remove({ force: true, v: true }));
    },

    events: (signal) => containerEvents(docker, signal),
  };
}
