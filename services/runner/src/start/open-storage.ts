// Images and disk of this machine. They watch each other: a short disk stops pulls, and pulls can make the disk short.
import { bytesPerMb } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import type { RunnerConfig } from '../config.ts';
import { DiskWatch } from '../disk/disk-watch.ts';
import { logLayerLimit } from '../disk/layer-limit.ts';
import type { Driver } from '../driver/driver.ts';
import type { Failure } from '../failures/failure.ts';
import { createImageStore, type ImageStore } from '../images/image-store.ts';
import type { RunnerMetrics } from '../metrics.ts';
import type { AdoptionFiles } from '../sandbox/adoption-files.ts';

export interface StorageOptions {
  readonly config: RunnerConfig;
  readonly driver: Driver;
  readonly adopted: AdoptionFiles;
  readonly metrics: RunnerMetrics;
  readonly logger: Logger;
}

export interface Storage {
  readonly images: ImageStore;
  readonly disk: DiskWatch;
  /** `end` ends an instance that has written too much. */
  start(end: (instance: string, failure: Failure) => void): void;
  close(): Promise<void>;
}

const imageCleaningMs = 10 * 60 * 1_000;

export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { config, driver, adopted, metrics, logger } = options;
  const dataFolder = await driver.dataFolder();
  const pullLimits = {
    downloadBytes: config.imageMaxMb * bytesPerMb,
    unpackedBytes: config.imageMaxUnpackedMb * bytesPerMb,
  };
  const images = await createImageStore({
    driver,
    stateFolder: config.stateFolder,
    registries: config.registries,
    limits: pullLimits,
    // Called only once instances are pulled, when the watch below exists.
    hasRoom: () => !disk.isShort,
    maxAgeDays: config.imageMaxAgeDays,
    diskPressurePercent: config.imageDiskPercent,
    diskFolder: dataFolder,
    shared: config.sharedImages,
    pinned: config.warm.filter(({ count }) => count > 0).map(({ image }) => image),
    now: () => new Date(),
    logger,
  });
  const cleanImages = () =>
    void images
      .clean()
      .catch((err: unknown) => logger.warn({ err }, 'removal of unused images failed; retrying at the next cleaning'));
  const gvisorMb = await logLayerLimit(driver, config.diskMb, logger);
  const disk = new DiskWatch({
    folder: dataFolder,
    limits: { bytes: config.diskMb * bytesPerMb, files: config.diskFiles },
    workspaceOf: (instance) => adopted.find(instance)?.workspaceId,
    gvisorBytes: gvisorMb === undefined ? undefined : gvisorMb * bytesPerMb,
    reservePercent: config.diskReservePercent,
    onShort: cleanImages,
    pullLimits,
    runningPulls: () => images.runningPulls(),
    onPullAborted: (reason) => metrics.pullsAborted.inc({ reason }),
    onCounted: (seconds) => metrics.diskCountSeconds.observe(seconds),
    logger,
  });
  let cleaning: NodeJS.Timeout | undefined;
  return {
    images,
    disk,
    start(end) {
      disk.start((instance, failure) => {
        metrics.endedForDisk.inc();
        end(instance, failure);
      });
      cleaning = setInterval(cleanImages, imageCleaningMs);
    },
    close() {
      clearInterval(cleaning);
      return disk.close();
    },
  };
}
