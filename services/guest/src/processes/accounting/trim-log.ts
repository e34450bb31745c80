import { closeSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { bytesPerMb } from '@berth/contract/guest';
import { recordBoundary } from '../output/log-records.ts';
import type { LogName, OutputLog } from '../output/output-log.ts';

const copyChunkBytes = bytesPerMb;

/**
 * Keeps the newest bytes of a log that is no longer written, under their old offsets. Whole files are deleted first; of
 * a file that is still too long the tail is copied, because it was written when there was room for more.
 */
export function trimLog(log: OutputLog, name: LogName, keepBytes: number): void {
  const { end } = log.extent();
  const wanted = Math.max(0, end - keepBytes);
  const starts = log.fileStarts();
  const inside = starts.findLast((start) => start <= wanted);
  if (inside === undefined) return;
  const cut = name === 'all' ? recordBoundary(log, wanted) : wanted;
  if (cut > inside && cut < end) copyTail(log, cut);
  // An empty file keeps the length of a log without bytes; otherwise its offsets would restart at 0.
  if (cut >= end) writeFileSync(log.path(end), '', { mode: 0o600 });
  for (const start of starts) if (start <= inside && start < Math.min(cut, end)) log.deleteFile(start);
}

/** Copies to the end of the file that `from` lies in. */
function copyTail(log: OutputLog, from: number): void {
  const path = log.path(from);
  const descriptor = openSync(`${path}.new`, 'w', 0o600);
  try {
    for (let at = from; ; ) {
      const found = log.read(at, copyChunkBytes);
      if (found === undefined || found.from !== at) break;
      writeSync(descriptor, found.bytes);
      at += found.bytes.length;
      if (found.closed) break;
    }
  } finally {
    closeSync(descriptor);
  }
  renameSync(`${path}.new`, path);
}
