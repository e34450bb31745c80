// Images that registries have given to workspaces on this machine, in a file that outlives the runner. A workspace with
// a grant uses the local copy without asking the registry again, so a restart needs no registry. A grant is for the
// content: when another workspace pulls a newer image of the same name, the registry is asked again.
import type { Logger } from '@berth/telemetry';
import { z } from 'zod';
import { readRecord, recordFile } from './record-file.ts';

/** Image ids by workspace, by image name. */
const Contents = z.record(z.string(), z.record(z.string(), z.string()));

export interface ImageGrants {
  has(image: string, workspaceId: string | undefined, id: string): boolean;
  add(image: string, workspaceId: string, id: string): Promise<void>;
  /** The image was removed from the machine. */
  forget(image: string): Promise<void>;
}

export async function openImageGrants(path: string, logger: Logger): Promise<ImageGrants> {
  const granted = new Map(await read(path, logger));
  const file = recordFile(path, () =>
    Object.fromEntries([...granted].map(([image, ids]) => [image, Object.fromEntries(ids)])),
  );
  return {
    has: (image, workspaceId, id) => workspaceId !== undefined && granted.get(image)?.get(workspaceId) === id,
    async add(image, workspaceId, id) {
      const ids = granted.get(image) ?? new Map<string, string>();
      granted.set(image, ids.set(workspaceId, id));
      await file.save();
    },
    async forget(image) {
      if (granted.delete(image)) await file.save();
    },
  };
}

async function read(path: string, logger: Logger): Promise<[string, Map<string, string>][]> {
  const text = await readRecord(path);
  try {
    return Object.entries(Contents.parse(JSON.parse(text))).map(([image, ids]) => [
      image,
      new Map(Object.entries(ids)),
    ]);
  } catch (err) {
    logger.warn({ err, file: path }, 'record of image grants is unreadable; asking registries again');
    return [];
  }
}
