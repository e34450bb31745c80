// Which images the runner pulled itself and when each was last asked for, in a file that outlives it.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Logger } from '@berth/telemetry';
import { z } from 'zod';

const Contents = z.record(z.string(), z.object({ lastUsedAt: z.iso.datetime() }));

export interface PulledImages {
  has(image: string): boolean;
  oldestFirst(): readonly { readonly image: string; readonly lastUsedAt: Date }[];
  note(image: string, usedAt: Date): Promise<void>;
  forget(image: string): Promise<void>;
}

export async function openPulledImages(file: string, logger: Logger): Promise<PulledImages> {
  await mkdir(dirname(file), { recursive: true });
  const images = new Map<string, Date>(await read(file, logger));
  let written: Promise<void> = Promise.resolve();

  /** One after the other, and whole or not at all: the file is never half written, whenever the runner ends. */
  function save(): Promise<void> {
    const write = async () => {
      const contents = [...images].map(([image, usedAt]) => [image, { lastUsedAt: usedAt.toISOString() }]);
      await writeFile(`${file}.new`, JSON.stringify(Object.fromEntries(contents), null, 2));
      await rename(`${file}.new`, file);
    };
    const saved = written.then(write);
    written = saved.catch(() => {});
    return saved;
  }

  return {
    has: (image) => images.has(image),
    oldestFirst: () =>
      [...images]
        .map(([image, lastUsedAt]) => ({ image, lastUsedAt }))
        .sort((one, other) => one.lastUsedAt.getTime() - other.lastUsedAt.getTime()),
    async note(image, usedAt) {
      images.set(image, usedAt);
      await save();
    },
    async forget(image) {
      images.delete(image);
      await save();
    },
  };
}

/** A file that cannot be read costs disk, not images: what it named counts as somebody else's from now on. */
async function read(file: string, logger: Logger): Promise<[string, Date][]> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    const contents = Contents.parse(JSON.parse(text));
    return Object.entries(contents).map(([image, { lastUsedAt }]) => [image, new Date(lastUsedAt)]);
  } catch (error) {
    logger.warn({ err: error, file }, 'the list of pulled images cannot be read; none of them will be removed');
    return [];
  }
}
