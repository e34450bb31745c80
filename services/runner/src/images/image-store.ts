// Images on this machine: pulled when an instance needs one, removed when none has for long. Only what the runner pulled
// itself is ever removed; the machine may belong to others too.
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@berth/telemetry';
import type { Driver, Pull } from '../driver/driver.ts';
import { registryOf } from '../driver/image-reference.ts';
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
  /** Beyond this, images go before their time. */
  readonly diskPressurePercent: number;
  /** On the disk where the engine keeps images; the state folder's when left out. */
  readonly diskFolder?: string;
  /** Of which sandboxes are to be ready at any time: they stay, also while none of them is there. */
  readonly standing?: readonly string[];
  readonly logger: Logger;
  now(): Date;
}

interface RegistryCredentials {
  /** With its port, as references name it. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
}

export interface ImageStore {
  /** Throws `PullFailed`. Whoever asks for an image that is being pulled waits for the same pull. */
  ensure(image: string, onProgress: Pull['onProgress']): Promise<void>;
  /** For whoever watches the disk, which a pull may fill. */
  runningPulls(): readonly RunningPull[];
  /** Returns what it removed. */
  clean(): Promise<readonly string[]>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

export async function createImageStore(options: ImageStoreOptions): Promise<ImageStore> {
  const { driver, stateFolder, registries, limits, hasRoom = () => true, logger, now } = options;
  const pulled = await openPulledImages(join(stateFolder, 'pulled-images.json'), logger);
  const pulls = new SharedPulls(async ({ image, signal, abort }, onProgress) => {
    const onBytes: Pull['onProgress'] = (bytes) => {
      onProgress(bytes);
      // A registry may send more of a layer than it said it would.
      if (Math.max(bytes.done, bytes.total) > limits.downloadBytes) abort(downloadTooLarge(image, limits));
    };
    const credentials = registries.find(({ host }) => host === registryOf(image));
    // Noted before: a runner that is killed while it pulls would otherwise leave an image that nobody ever removes.
    await pulled.note(image, now());
    try {
      await driver.pull({ image, credentials, onProgress: onBytes, signal });
      await refuseIfTooLarge(image);
    } catch (error) {
      await pulled.forget(image);
      throw error;
    }
  });

  async function refuseIfTooLarge(image: string): Promise<void> {
    if (((await driver.imageBytes(image)) ?? 0) <= limits.unpackedBytes) return;
    await driver.removeImage(image);
    throw unpackedTooLarge(image, limits);
  }

  /** False, and young again, while a container uses it: that counts from its last use, not from its first. */
  async function remove(image: string): Promise<boolean> {
    const removed = await driver.removeImage(image);
    if (removed) await pulled.forget(image);
    else await pulled.note(image, now());
    return removed;
  }

  /** It may be pulled through the deployment's own registry, whose name then stands before its own. */
  const isStanding = (image: string): boolean =>
    (options.standing ?? []).some((name) => image === name || image.endsWith(`/${name}`));

  return {
    async ensure(image, onProgress) {
      if (!pulls.has(image) && (await driver.hasImage(image))) {
        if (pulled.has(image)) await pulled.note(image, now());
        return;
      }
      if (!pulls.has(image) && !hasRoom()) throw noRoomFor(image);
      await pulls.pull(image, onProgress);
    },

    runningPulls: () => pulls.running(),

    async clean() {
      const oldest = now().getTime() - options.maxAgeDays * DAY_MS;
      const removed: string[] = [];
      for (const { image, lastUsedAt } of pulled.oldestFirst()) {
        if (pulls.has(image) || isStanding(image)) continue;
        const isOld = lastUsedAt.getTime() < oldest;
        const isNeeded =
          !isOld && (await usedPercent(options.diskFolder ?? stateFolder)) <= options.diskPressurePercent;
        if (!isNeeded && (await remove(image))) removed.push(image);
      }
      if (removed.length > 0) logger.info({ images: removed }, 'removed images that no instance uses');
      return removed;
    },
  };
}

/** As `df` counts: what is kept back for root is not free. */
async function usedPercent(folder: string): Promise<number> {
  const { blocks, bfree, bavail } = await statfs(folder);
  const used = blocks - bfree;
  return (100 * used) / Math.max(used + bavail, 1);
}
