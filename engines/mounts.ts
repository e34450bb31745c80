import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const blockDevices = '/sys/block';

/** Innermost first, which is the order for unmounting. */
export async function mountsBelow(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  const points = lines.map((line) => line.split(' ')[1] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/`)).reverse();
}

/** Loop devices whose backing file is below the folder, even if the file was deleted. */
export async function loopDevicesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of await readdir(blockDevices)) {
    if (!name.startsWith('loop')) continue;
    const file = await readFile(join(blockDevices, name, 'loop/backing_file'), 'utf8').catch(() => '');
    if (file.startsWith(`${folder}/`)) found.push(join('/dev', name));
  }
  return found;
}
