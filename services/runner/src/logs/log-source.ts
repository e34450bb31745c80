// Where the output of one container is: the file that Docker writes and the older ones it keeps beside it, or what was kept
// of them when the container went.
import { stat } from 'node:fs/promises';

export interface Segment {
  /** Survives renaming. A number of a deleted file is given to the next one, so its time of birth belongs to it. */
  readonly id: string;
  readonly path: string;
  readonly size: number;
}

export interface LogSource {
  readonly container: string;
  /** Nothing is written to it any more. */
  readonly isEnded: boolean;
  /** Oldest first. The newest alone when that is the one being read: most of the time nothing else happened. */
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

/** As the driver asks Docker to rotate: the file itself, `.1` and `.2`. */
export const rotatedNames = (logFile: string): string[] => [logFile, `${logFile}.1`, `${logFile}.2`];

export function liveSource(container: string, logFile: string): LogSource {
  return {
    container,
    isEnded: false,
    async segments(reading) {
      // Newest first: a rotation in between then shows a file twice, and never hides one.
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
