import { expect, test } from 'vitest';
import { releasesIn } from './used-releases.ts';

const line = (root: string): string => `2170 2151 254:1 ${root} /.berth ro,relatime master:1 - ext4 /dev/vda1 rw`;

test('a release is in use as long as a process has a part of it mounted, whichever file system holds it', () => {
  const mounts = [
    line('/'),
    line('/opt/berth/0.1.0/guest'),
    line('/berth/0.2.0/guest'),
    line('/var/lib/docker/volumes/berth-data'),
    line('/opt/berthold/0.3.0/guest'),
    '',
  ];
  expect(releasesIn(mounts.join('\n'), '/opt/berth')).toEqual(['0.1.0', '0.2.0']);
});
