// Releases that running processes have mounted: a sandbox keeps the guest of the release with which it was made.
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

/** Lines of the kernel: the fourth word is the path that is mounted, in its own file system. */
export function releasesIn(mounts: string, releases: string): string[] {
  const folder = basename(releases);
  const roots = mounts.split('\n').map((line) => line.split(' ')[3]?.split('/') ?? []);
  return roots.flatMap((parts) => {
    const at = parts.indexOf(folder);
    const version = at === -1 ? undefined : parts[at + 1];
    return version === undefined ? [] : [version];
  });
}

export async function usedReleases(releases: string): Promise<ReadonlySet<string>> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const used = new Set<string>();
  for (const process of processes) {
    // A process may have ended meanwhile.
    const mounts = await readFile(`/proc/${process}/mountinfo`, 'utf8').catch(() => '');
    for (const version of releasesIn(mounts, releases)) used.add(version);
  }
  return used;
}
