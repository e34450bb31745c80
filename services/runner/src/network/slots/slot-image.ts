import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { answered, answeredIfThere } from '../../driver/docker-client.ts';
import { slotProgram } from './slot-program.ts';
import { tarOf } from './tar.ts';

// The tag must change whenever the program changes.
const REPOSITORY = 'berth-slot';
const TAG = '1';
export const SLOT_IMAGE = `${REPOSITORY}:${TAG}`;
export const SLOT_PROGRAM = '/pause';

/** Builds the image for the architecture of this process: the engine runs on the same machine. */
export async function ensureSlotImage(docker: Docker): Promise<void> {
  if (await answeredIfThere(docker.getImage(SLOT_IMAGE).inspect())) return;
  const archive = tarOf(SLOT_PROGRAM.slice(1), slotProgram(process.arch));
  const telling = await docker.importImage(Readable.from([archive]), { repo: REPOSITORY, tag: TAG });
  for await (const _ of telling);
  await answered(docker.getImage(SLOT_IMAGE).inspect());
}
