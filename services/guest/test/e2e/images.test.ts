// The guest brings everything it needs: it runs in an image with another libc, and in an image without a single file.
import { beforeAll, describe, expect, test } from 'vitest';
import { importEmptyImage, importMuslImage } from '../../../../engines/musl-image.ts';
import { startGuestContainer } from '../../../../tests/harness/guest-container.ts';
import { runtimesOf } from '../../../../tests/harness/size.ts';
import { useGuestDocker } from './guest-docker.ts';

const docker = useGuestDocker();
const images = { debian: '', musl: '', empty: '' };

beforeAll(async () => {
  images.debian = docker.image;
  images.musl = await importMuslImage(docker.url);
  images.empty = await importEmptyImage(docker.url);
});

// The small size tests runc, the quicker class: the image's files decide the result, not the kernel.
describe.for(runtimesOf('runc'))('on %s', (runtime) => {
  describe.for(['debian', 'musl', 'empty'] as const)('in the image %s', (image) => {
    test.for(['root', '1000'] as const)('the guest answers as %s', async (user) => {
      await using guest = await startGuestContainer(docker.url, { image: images[image], runtime, user: idOf(user) });
      const answer = await fetch(`${guest.url}/health`);
      expect(answer.status).toBe(200);
    });

    test('as root with a workload user it runs as that account', async () => {
      const args = ['--user', '1000'];
      await using guest = await startGuestContainer(docker.url, { image: images[image], runtime, args });
      const status = await (await fetch(`${guest.url}/filesystem//proc/self/status?download=true`)).text();
      expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000/m);
    });

    test('a workload user that is not there starts nothing', async () => {
      const args = ['--user', 'no-such-account'];
      const wish = { image: images[image], runtime, args, withoutWaiting: true };
      await using guest = await startGuestContainer(docker.url, wish);
      expect(await guest.ended()).toBe(78);
      expect(await guest.output()).toContain('There is no account "no-such-account"');
    });
  });

  test('it runs on a root that cannot be written', async () => {
    const wish = { image: images.debian, runtime, readOnly: true };
    await using guest = await startGuestContainer(docker.url, wish);
    expect((await fetch(`${guest.url}/health`)).status).toBe(200);
  });

  test('SIGTERM ends the container with 0, before the engine would kill it', async () => {
    await using guest = await startGuestContainer(docker.url, { image: images.empty, runtime });
    await guest.stop();
    expect(await guest.ended()).toBe(0);
  });
});

/** User as a number: not every image has account names. */
const idOf = (user: 'root' | '1000') => (user === 'root' ? '0' : user);
