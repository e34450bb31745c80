// Ephemeral volumes of a job: each is a file system in the memory of its task, so it counts towards the task's memory
// and is gone with it. Pure.
import type { TaskVolume } from '@berth/contract/node';
import type { JobSpec } from './job-spec.ts';

/** Folders of the kernel and of the engine. A volume in one of them would break the container, or hide its limits. */
const systemFolders = ['/proc', '/sys', '/dev', '/etc'];
/** Folders with the image's programs. A volume may be below one of them, but not hide all of it. */
const programFolders = ['/bin', '/lib', '/lib64', '/sbin', '/usr', '/usr/bin', '/usr/lib', '/usr/sbin'];

export const taskVolumes = ({ volumes }: Pick<JobSpec, 'volumes'>): TaskVolume[] =>
  volumes.map(({ mountPath, sizeMb, readOnly = false }) => ({ mountPath: pathOf(mountPath), sizeMb, readOnly }));

/**
 * Why a task with this memory cannot have these volumes, and what to do; undefined when it can have them. A volume larger
 * than the memory would end its task before it is full.
 */
export function volumesFault({ volumes }: Pick<JobSpec, 'volumes'>, memoryMb: number): string | undefined {
  for (const [place, volume] of volumes.entries()) {
    const earlier = volumes.slice(0, place);
    const fault = pathFault(volume.mountPath) ?? conflict(volume, earlier);
    if (fault !== undefined) return `spec.volumes[${place}].${fault}`;
  }
  // The kernel reads the size 0 as no limit.
  const empty = volumes.findIndex(({ sizeMb }) => sizeMb < 1);
  if (empty !== -1) return `spec.volumes[${empty}].sizeMb is less than 1. Give the volume at least 1 MB.`;
  const totalMb = volumes.reduce((sum, { sizeMb }) => sum + sizeMb, 0);
  if (totalMb <= memoryMb) return undefined;
  return (
    `spec.volumes has ${totalMb} MB together, but a task has ${memoryMb} MB, and volumes are kept in its memory. ` +
    'Make the volumes smaller, or give the task more memory.'
  );
}

type Volume = JobSpec['volumes'][number];

/** Without the slashes that mean nothing. */
const pathOf = (mountPath: string): string =>
  `/${mountPath
    .split('/')
    .filter((name) => name !== '')
    .join('/')}`;

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

function pathFault(mountPath: string): string | undefined {
  const path = pathOf(mountPath);
  const isIndirect = path.split('/').some((name) => name === '.' || name === '..');
  if (!mountPath.startsWith('/') || isIndirect)
    return `mountPath is ${mountPath}. Name an absolute path without "." and "..".`;
  if (path === '/') return 'mountPath is /, which would hide the whole image. Name a folder, such as /scratch.';
  if (systemFolders.some((folder) => path === folder || isBelow(path, folder)) || programFolders.includes(path))
    return `mountPath is ${mountPath}, which belongs to the system. Name another folder, such as /scratch.`;
  return undefined;
}

function conflict({ name, mountPath }: Volume, earlier: readonly Volume[]): string | undefined {
  const path = pathOf(mountPath);
  for (const other of earlier) {
    const taken = pathOf(other.mountPath);
    if (other.name === name) return `name is ${name}, as of another volume. Give each volume a name of its own.`;
    if (path === taken || isBelow(path, taken) || isBelow(taken, path))
      return `mountPath is ${mountPath}, and the volume ${other.name} is at ${other.mountPath}. Mount each volume beside the others.`;
  }
  return undefined;
}
