import { afterAll, beforeAll } from 'vitest';
import { importBaseImage } from '../../../scripts/engines/base-image.ts';
import { startTestDocker, type TestDocker } from '../../../scripts/engines/test-docker.ts';

/** A Docker Engine with the base image, for the tests of the file that calls this. */
export function useGuestDocker(): { readonly url: string; readonly image: string } {
  let docker: TestDocker | undefined;
  const bed = { url: '', image: '' };
  beforeAll(async () => {
    docker = await startTestDocker();
    bed.url = docker.url;
    [bed.image = ''] = await importBaseImage(docker.url);
  }, 120_000);
  afterAll(() => docker?.[Symbol.asyncDispose]());
  return bed;
}
