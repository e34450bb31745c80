// Synchronous reads of /proc, without running a program. Entries vanish between two reads, which is never an error.
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';

export type ProcessStat = {
  pid: number;
  name: string;
  parent: number;
  group: number;
  session: number;
  startTicks: number;
};

// Field 22 of the line, as an index from the third field.
const startTimeField = 19;
const socketLink = /^socket:\[(\d+)\]$/;

/** Used again for each file: readFileSync would take 64 KiB for each, and collecting them took longer than the reads. */
const piece = Buffer.allocUnsafe(16 * 1024);

/** Empty when the file is gone or may not be read. */
export function procText(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${path}`, 'r');
    let text = '';
    for (;;) {
      const bytes = readSync(file, piece, 0, piece.length, null);
      if (bytes === 0) return text;
      text += piece.toString('latin1', 0, bytes);
    }
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

export function processStats(): ProcessStat[] {
  return names('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    return processStat(Number(name)) ?? [];
  });
}

export function processStat(pid: number): ProcessStat | undefined {
  const text = procText(`${pid}/stat`);
  // The name is in parentheses and may itself contain parentheses and spaces.
  const end = text.lastIndexOf(')');
  if (end < 0) return undefined;
  const fields = text.slice(end + 2).split(' ');
  const [state, parent, group, session] = fields;
  if (state === 'Z' || state === 'X') return undefined;
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTicks: Number(fields[startTimeField]),
  };
}

/** Inodes by which the tables of /proc/net identify the sockets of a process. */
export function socketInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return names(folder).flatMap((name) => {
    try {
      return socketLink.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
