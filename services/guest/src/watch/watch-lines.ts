// Formats the records of a watch as lines of JSON.
import { posix } from 'node:path';
import { eventAt, type WatchRecord } from './watch-records.ts';

export type WatchOptions = { folder: string; ignore: readonly string[] };

/** Empty when there is nothing to report. */
export function linesOf(records: readonly WatchRecord[], options: WatchOptions): string {
  return records.map((record) => lineOf(record, options)).join('');
}

export function errorLine(folder: string, error: string): string {
  return `${JSON.stringify(eventAt('ERROR', folder, error))}\n`;
}

function lineOf(record: WatchRecord, { folder, ignore }: WatchOptions): string {
  if (record.kind === 'event') {
    const { path, name } = record.event;
    const whole = `${path}/${name}`;
    return ignore.some((part) => whole.includes(part)) ? '' : `${JSON.stringify(record.event)}\n`;
  }
  if (record.kind === 'lost') {
    return errorLine(folder, 'Changes came faster than they were read, and events were lost. Read the folder again.');
  }
  if (record.kind === 'limit') {
    const advice = 'Watch a smaller folder, or raise fs.inotify.max_user_watches.';
    return errorLine(folder, `No more folders can be watched: changes in some are not reported. ${advice}`);
  }
  if (record.kind === 'ready') return '';
  const gone = eventAt('REMOVE', posix.resolve(folder), 'The watched folder is gone, so the watch has ended.');
  return `${JSON.stringify(gone)}\n`;
}
