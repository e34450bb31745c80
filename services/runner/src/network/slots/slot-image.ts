import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import { answered, answeredIfThere } from '../../driver/docker-client.ts';
import { slotProgram } from './slot-program.ts';
import { tarOf } from './tar.ts';

// The tag must change whenever the program changes.
const repository = 'berth-slot';
const tag = '1';
export const slotImage = `${repository}:${tag}`;
export const slotProgramPath = '/pause';

/** Builds the image for the architecture of this process: the engine runs on the same machine. */
export async function ensureSlotImage(docker: Docker): Promise<void> {
  if (await answeredIfThere(docker.getImage(slotImage).inspect())) return;
  const archive = tarOf(slotProgramPath.slice(1), slotProgram(process.arch));
  const telling = await docker.importImage(Readable.from([archive]), { repo: repository, tag: tag });
  for await (const _ of telling);
  await answered(docker.getImage(slotImage).inspect());
}
