// The records of native/watch.c, as events.
import type { FileEvent, FileEventOp } from '@berth/contract/guest';

export type WatchRecord = { kind: 'event'; event: FileEvent } | { kind: 'ready' | 'lost' | 'limit' | 'gone' };

const eventOps = new Map<string, FileEventOp>([
  ['C', 'CREATE'],
  ['W', 'WRITE'],
  ['R', 'REMOVE'],
  ['N', 'RENAME'],
  ['A', 'CHMOD'],
]);
const noticeKinds = new Map<string, 'ready' | 'lost' | 'limit' | 'gone'>([
  ['Y', 'ready'],
  ['O', 'lost'],
  ['L', 'limit'],
  ['E', 'gone'],
]);

/** Cuts the stream into records; an incomplete record waits for the next chunk. */
export class RecordReader {
  #rest: Buffer = Buffer.alloc(0);

  read(chunk: Buffer): WatchRecord[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const records: WatchRecord[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, start)) {
      const record = recordOf(bytes.toString('utf8', start, end));
      if (record) records.push(record);
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    return records;
  }
}

function recordOf(text: string): WatchRecord | undefined {
  const sign = text.length === 1 ? noticeKinds.get(text) : undefined;
  if (sign) return { kind: sign };
  const op = eventOps.get(text.charAt(0));
  return op ? { kind: 'event', event: eventAt(op, text.slice(3)) } : undefined;
}

/** For a name directly under `/` the folder is the empty text. */
export function eventAt(op: FileEventOp, path: string, error: string | null = null): FileEvent {
  const end = path.lastIndexOf('/');
  return { op, name: path.slice(end + 1), path: path.slice(0, Math.max(end, 0)), error };
}
