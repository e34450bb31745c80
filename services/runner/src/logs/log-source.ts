// Output of one container: the file that Docker writes and the older ones it keeps beside it, or the archive of these
// files once the container is removed.
import { stat } from 'node:fs/promises';

export interface Segment {
  /**
   * Stays the same when the file is renamed. The inode number of a deleted file is given to the next file, so the
   * birth time is part of the id.
   */
  readonly id: string;
  readonly path: string;
  readonly size: number;
}

export interface LogSource {
  readonly container: string;
  /** True once nothing is written to the source any more. */
  readonly isEnded: boolean;
  /**
   * Segments, oldest first. If `reading` is the newest segment, only that one is returned: usually no rotation has
   * happened.
   */
  segments(reading?: string): Promise<readonly Segment[]>;
}

export const segmentId = ({ ino, birthtimeNs }: { ino: bigint; birthtimeNs: bigint }): string =>
  `${ino}-${birthtimeNs}`;

export async function findSegment(path: string): Promise<Segment | undefined> {
  try {
    const found = await stat(path, { bigint: true });
    return { id: segmentId(found), path, size: Number(found.size) };
  } catch {
    return undefined;
  }
}

/** Names of the files as the driver makes Docker rotate them: the file itself, `.1` and `.2`. */
export const rotatedNames = (logFile: string): string[] => [logFile, `${logFile}.1`, `${logFile}.2`];

export function liveSource(container: string, logFile: string): LogSource {
  return {
    container,
    isEnded: false,
    async segments(reading) {
      // The newest file is looked up first: a rotation in between then shows a file twice and never hides one.
      const [newestName = logFile, ...olderNames] = rotatedNames(logFile);
      const newest = await findSegment(newestName);
      if (newest !== undefined && newest.id === reading) return [newest];
      const older = [];
      for (const name of olderNames) older.push(await findSegment(name));
      const found = [newest, ...older].filter((segment) => segment !== undefined).reverse();
      return [...new Map(found.map((segment) => [segment.id, segment])).values()];
    },
  };
}
