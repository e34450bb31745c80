import { beforeAll } from 'vitest';
import { importBaseImage } from '../../../../engines/base-image.ts';
import { startTestDocker } from '../../../../engines/test-docker.ts';

type GuestDocker = { url: string; image: string };

/** One engine for all files of a worker: importing the image takes five seconds of CPU. The end of the run stops it. */
let shared: Promise<GuestDocker> | undefined;

async function startShared(): Promise<GuestDocker> {
  const { url } = await startTestDocker();
  const [image = ''] = await importBaseImage(url);
  return { url, image };
}

/** A Docker Engine with the base image, for the tests of the file that calls this. */
export function useGuestDocker(): Readonly<GuestDocker> {
  const docker: GuestDocker = { url: '', image: '' };
  beforeAll(async () => {
    shared ??= startShared();
    Object.assign(docker, await shared);
  });
  return docker;
}
