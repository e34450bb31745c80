// Images on this machine: pulled when an instance needs them, removed when unused for long. Only images that the runner
// pulled itself are removed, because the machine may also serve others.
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultRegistry } from '@berth/contract';
import type { Logger } from '@berth/telemetry';
import type { Driver, Pull } from '../driver/driver.ts';
import { engineName, fullName } from '../driver/engine-name.ts';
import { hostOf } from '../driver/pull-fault.ts';
import { openImageGrants } from './image-grants.ts';
import { credentialsFor, type ImageRequest, isShared, type RegistryCredentials } from './image-rights.ts';
import { requirePublicRegistry } from './public-registry.ts';
import { downloadTooLarge, noRoomFor, type PullLimits, unpackedTooLarge } from './pull-limits.ts';
import { openPulledImages } from './pulled-images.ts';
import { type RunningPull, SharedPulls } from './shared-pulls.ts';

export interface ImageStoreOptions {
  readonly driver: Driver;
  readonly stateFolder: string;
  readonly registries: readonly RegistryCredentials[];
  readonly limits: PullLimits;
  /** False while the disk is short: no pull begins then. */
  readonly hasRoom?: () => boolean;
  readonly maxAgeDays: number;
  /** When more of the disk is used, images are removed before `maxAgeDays`. */
  readonly diskPressurePercent: number;
  /** Folder on the engine's disk; default: the state folder. */
  readonly diskFolder?: string;
  /** Images of the configured warm pools: they are kept, even while no sandbox uses them. */
  readonly pinned?: readonly string[];
  /** Images whose local copy every workspace may use, in addition to `standing`. */
  readonly shared?: readonly string[];
  readonly logger: Logger;
  now(): Date;
}

export interface ImageStore {
  /**
   * Throws `PullFailed`. A local copy is used for a workspace only if the operator offers it to all, or if the registry
   * gave it to this workspace before. Otherwise the registry is asked again, which is cheap when nothing has changed.
   */
  ensure(request: ImageRequest, onProgress: Pull['onProgress']): Promise<void>;
  /** For the disk watch, because a pull may fill the disk. */
  runningPulls(): readonly RunningPull[];
  /** Returns the names of the removed images. */
  clean(): Promise<readonly string[]>;
}

const dayMs = 24 * 60 * 60 * 1_000;
const lateRemovalMs = 1_000;

export async function createImageStore(options: ImageStoreOptions): Promise<ImageStore> {
  const { driver, stateFolder, registries, limits, hasRoom = () => true, logger, now } = options;
  const pulled = await openPulledImages(join(stateFolder, 'pulled-images.json'), logger);
  const grants = await openImageGrants(join(stateFolder, 'image-grants.json'), logger);
  const shared = [...(options.shared ?? []), ...(options.pinned ?? [])];
  const pulls = new SharedPulls(async ({ image, credentials, signal, abort }, onProgress) => {
    const onBytes: Pull['onProgress'] = (bytes) => {
      onProgress(bytes);
      // A registry may send more of a layer than it announced.
      if (Math.max(bytes.done, bytes.total) > limits.downloadBytes) abort(downloadTooLarge(image, limits));
    };
    // An image that was on the machine before the runner pulled it is never removed.
    const isOurs = pulled.has(image) || (await driver.imageId(image)) === undefined;
    // Noted before the pull: otherwise a runner killed during it would leave an image that is never removed.
    if (isOurs) await pulled.recordUse(image, now());
    try {
      await driver.pull({ image, credentials, onProgress: onBytes, signal });
      await refuseIfTooLarge(image, isOurs);
    } catch (error) {
      logger.warn({ err: error, image }, 'image pull failed; reporting it to the workload in general words');
      if (signal.aborted && isOurs) await removeLate(image);
      if (isOurs && !(await isHere(image))) await pulled.forget(image);
      throw error;
    }
  });

  async function refuseIfTooLarge(image: string, isOurs: boolean): Promise<void> {
    if (((await driver.imageBytes(image)) ?? 0) <= limits.unpackedBytes) return;
    if (isOurs) await driver.removeImage(image);
    throw unpackedTooLarge(image, limits);
  }

  /** The engine may have finished the pull just before the abort reached it. */
  async function removeLate(image: string): Promise<void> {
    await sleep(lateRemovalMs);
    await driver.removeImage(image).catch(() => false);
  }

  /** True when the engine does not answer, because the image may be present. */
  const isHere = async (image: string): Promise<boolean> => (await driver.imageId(image).catch(() => '')) !== undefined;

  async function pull(request: ImageRequest, image: string, onProgress: Pull['onProgress']): Promise<void> {
    if (!pulls.has(image) && !hasRoom()) throw noRoomFor(image);
    const registry = hostOf(image);
    const credentials = credentialsFor(request, registries, shared);
    const isKnown = registries.some(({ host }) => host.toLowerCase() === registry) || registry === defaultRegistry;
    const isOutside = (request.source?.origin ?? 'outside') === 'outside';
    if (isOutside && !isKnown && request.source?.isListed !== true) await requirePublicRegistry(registry);
    await pulls.pull({ image, credentials }, onProgress);
    const id = await driver.imageId(image);
    if (id !== undefined && request.workspaceId !== undefined) await grants.add(image, request.workspaceId, id);
  }

  /**
   * False while a container uses the image. Its age then starts again, so it counts from the last use, not the first.
   */
  async function remove(image: string): Promise<boolean> {
    const removed = await driver.removeImage(image);
    if (removed) await Promise.all([pulled.forget(image), grants.forget(image)]);
    else await pulled.recordUse(image, now());
    return removed;
  }

  /** An image may be pulled through the deployment's own registry, whose name then precedes its own. */
  const isPinned = (image: string): boolean =>
    (options.pinned ?? []).some((name) => image === fullName(name) || image.endsWith(`/${name}`));

  return {
    async ensure(request, onProgress) {
      const image = engineName(request.image);
      const copy = await driver.imageId(image);
      const mayUse = copy !== undefined && (isShared(request, shared) || grants.has(image, request.workspaceId, copy));
      if (!mayUse) await pull(request, image, onProgress);
      else if (pulled.has(image)) await pulled.recordUse(image, now());
    },

    runningPulls: () => pulls.running(),

    async clean() {
      const oldest = now().getTime() - options.maxAgeDays * dayMs;
      const removed: string[] = [];
      for (const { image, lastUsedAt } of pulled.oldestFirst()) {
        if (pulls.has(image) || isPinned(image)) continue;
        const isOld = lastUsedAt.getTime() < oldest;
        const isNeeded =
          !isOld && (await usedPercent(options.diskFolder ?? stateFolder)) <= options.diskPressurePercent;
        if (!isNeeded && (await remove(image))) removed.push(image);
      }
      if (removed.length > 0) logger.info({ images: removed }, 'unused images removed');
      return removed;
    },
  };
}

/** Counts like `df`: space reserved for root is not free. */
async function usedPercent(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder);
  const used = blocks - bfree;
  return (100 * used) / Math.max(used + bavail, 1);
}
