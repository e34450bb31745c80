import { expect, test } from 'vitest';
import { upperFolder } from './container-layer.ts';

const id = 'ab12';
const overlay = (point: string, upper: string) =>
  `61 29 0:52 / ${point} rw,relatime shared:7 - overlay overlay rw,lowerdir=/s/1/fs,upperdir=${upper},workdir=/s/2/work`;

test('the layer of a container is the upper folder of the overlay that is mounted under its id', () => {
  const mountinfo = [
    '29 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    overlay('/var/lib/docker/rootfs/overlayfs/cd34', '/s/9/fs'),
    overlay(`/var/lib/docker/rootfs/overlayfs/${id}`, '/s/2/fs'),
    `70 29 0:60 / /var/lib/docker/containers/${id}/mounts/shm rw - tmpfs shm rw,size=65536k`,
  ].join('\n');
  expect(upperFolder(mountinfo, id)).toBe('/s/2/fs');
  expect(upperFolder(mountinfo, 'ef56')).toBeUndefined();
});

test('a path with a blank is read correctly', () => {
  expect(upperFolder(overlay(`/data\\040root/${id}`, '/data\\040root/2/fs'), id)).toBe('/data root/2/fs');
});
