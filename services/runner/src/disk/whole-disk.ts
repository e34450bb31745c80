// The disk that a folder lies on. The kernel limits whole disks alone, not their partitions.
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** As `/dev/…`; undefined where the folder lies on no disk of this machine, as on NFS, ZFS or btrfs. */
export async function wholeDisk(folder: string): Promise<string | undefined> {
  const { dev } = await stat(folder);
  const device = await realpath(`/sys/dev/block/${major(dev)}:${minor(dev)}`).catch(() => undefined);
  if (device === undefined) return undefined;
  const isPartition = await access(join(device, 'partition')).then(
    () => true,
    () => false,
  );
  return `/dev/${basename(isPartition ? dirname(device) : device)}`;
}

/** As the C library packs both numbers into one. */
const major = (device: number): number => (device >>> 8) & 0xfff;
const minor = (device: number): number => (device & 0xff) | ((device >>> 12) & 0xfff00);
