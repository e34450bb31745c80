// The disk of a folder. The kernel limits only whole disks, not their partitions.
import { access, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Path `/dev/…`; undefined when the folder is not on a local disk, for example on NFS, ZFS or btrfs. */
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

/** Inverse of the C library's packing of both numbers into one. */
const major = (device: number): number => (device >>> 8) & 0xfff;
const minor = (device: number): number => (device & 0xff) | ((device >>> 12) & 0xfff00);
