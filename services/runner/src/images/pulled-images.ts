// Images that the runner pulled itself and the last use of each, in a file that outlives the runner.
import type { Logger } from '@berth/telemetry';
import { z } from 'zod';
import { fullName } from '../driver/engine-name.ts';
import { readRecord, recordFile } from './record-file.ts';

const Contents = z.record(z.string(), z.object({ lastUsedAt: z.iso.datetime() }));

export interface PulledImages {
  has(image: string): boolean;
  oldestFirst(): readonly { readonly image: string; readonly lastUsedAt: Date }[];
  recordUse(image: string, usedAt: Date): Promise<void>;
  forget(image: string): Promise<void>;
}

export async function openPulledImages(file: string, logger: Logger): Promise<PulledImages> {
  const images = new Map<string, Date>(await read(file, logger));
  const { save } = recordFile(file, () =>
    Object.fromEntries([...images].map(([image, usedAt]) => [image, { lastUsedAt: usedAt.toISOString() }])),
  );

  return {
    has: (image) => images.has(image),
    oldestFirst: () =>
      [...images]
        .map(([image, lastUsedAt]) => ({ image, lastUsedAt }))
        .sort((one, other) => one.lastUsedAt.getTime() - other.lastUsedAt.getTime()),
    async recordUse(image, usedAt) {
      images.set(image, usedAt);
      await save();
    },
    async forget(image) {
      images.delete(image);
      await save();
    },
  };
}

/** An unreadable file costs disk space, not images: its images count as foreign from now on and are never removed. */
async function read(file: string, logger: Logger): Promise<[string, Date][]> {
  const text = await readRecord(file);
  try {
    const contents = Contents.parse(JSON.parse(text));
    // Older runners noted images by the names that workloads gave.
    return Object.entries(contents).flatMap(([image, { lastUsedAt }]): [string, Date][] => {
      const name = fullName(image);
      return name === undefined ? [] : [[name, new Date(lastUsedAt)]];
    });
  } catch (error) {
    logger.warn({ err: error, file }, 'list of pulled images is unreadable; keeping all of these images');
    return [];
  }
}
