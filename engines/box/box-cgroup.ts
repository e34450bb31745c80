// Cgroup of a box, in every hierarchy of this machine. Inside the box it is the root, so the box's systemd and Docker make their own
// cgroups below it and see no others.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = '/sys/fs/cgroup';

/** Returns the files through which a process joins. */
export function makeBoxCgroup(name: string, memoryMb: number | undefined): string[] {
  const hierarchies = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(root, entry.name));
  for (const hierarchy of hierarchies) {
    const folder = join(hierarchy, name);
    mkdirSync(folder);
    // A new cgroup of this controller has no cores, and takes no process until it has some.
    if (hierarchy.endsWith('/cpuset'))
      for (const file of ['cpuset.cpus', 'cpuset.mems'])
        writeFileSync(join(folder, file), readFileSync(join(hierarchy, file)));
    if (hierarchy.endsWith('/memory') && memoryMb !== undefined)
      writeFileSync(join(folder, 'memory.limit_in_bytes'), String(memoryMb * 2 ** 20));
  }
  return hierarchies.map((hierarchy) => join(hierarchy, name, 'cgroup.procs'));
}
