// Keeps the output of removed containers until it is sent: hard links where the file system allows them, copies
// otherwise.
import { copyFile, link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomically } from '../state/write-file-atomically.ts';
import { findSegment, type LogSource, rotatedNames } from './log-source.ts';

/** Files keep the ids they had while the container existed, so that a stored cursor still refers to them. */
const Manifest = z.object({
  container: z.string(),
  archivedAtMs: z.number(),
  segments: z.array(z.object({ id: z.string(), name: z.string() })),
});

export interface LogArchive extends LogSource {
  readonly folder: string;
  readonly archivedAtMs: number;
}

const manifestIn = (folder: string): string => join(folder, 'manifest.json');

/** `folder` is the instance's own. A second call for the same container changes nothing. */
export async function archiveLogs(
  folder: string,
  container: string,
  logFile: string,
  nowMs: number,
): Promise<LogArchive> {
  const earlier = await listArchives(folder);
  const same = earlier.find((archive) => archive.container === container);
  if (same !== undefined) return same;
  const target = join(folder, `${String(nowMs).padStart(15, '0')}-${container}`);
  await mkdir(target, { recursive: true, mode: 0o700 });
  const segments: { id: string; name: string }[] = [];
  for (const path of rotatedNames(logFile).toReversed()) {
    const segment = await findSegment(path);
    if (segment === undefined) continue;
    const name = String(segments.length);
    await keepFile(path, join(target, name));
    segments.push({ id: segment.id, name });
  }
  // The manifest is written last: an archive without it is incomplete and does not count.
  await writeFileAtomically(manifestIn(target), JSON.stringify({ container, archivedAtMs: nowMs, segments }));
  return archiveSource(target, { container, archivedAtMs: nowMs, segments });
}

/** Complete archives, oldest first; incomplete ones are removed. */
export async function listArchives(folder: string): Promise<LogArchive[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d{15}-/.test(name)).sort();
  const archives: LogArchive[] = [];
  for (const name of names) {
    const target = join(folder, name);
    const text = await readFile(manifestIn(target), 'utf8').catch(() => undefined);
    if (text !== undefined) archives.push(archiveSource(target, Manifest.parse(JSON.parse(text))));
    else await rm(target, { recursive: true, force: true });
  }
  return archives;
}

export const removeArchive = ({ folder }: LogArchive): Promise<void> => rm(folder, { recursive: true, force: true });

async function keepFile(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  await link(from, to).catch(() => copyFile(from, to));
}

function archiveSource(folder: string, { container, archivedAtMs, segments }: z.infer<typeof Manifest>): LogArchive {
  return {
    folder,
    container,
    archivedAtMs,
    isEnded: true,
    segments: () =>
      Promise.all(
        segments.map(async ({ id, name }) => {
          const path = join(folder, name);
          return { id, path, size: (await stat(path)).size };
        }),
      ),
  };
}
