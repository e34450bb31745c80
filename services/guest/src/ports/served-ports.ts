import type { PortInfo } from '@berth/contract/guest';
import { processStat, procText, socketInodes } from '../proc/proc-files.ts';
import { membersOf, type ProcessIdentity } from '../proc/process-members.ts';
import { type SocketRow, socketRows, socketTables } from './socket-table.ts';

// The state follows the two addresses.
const listeningLine = /^ *\d+: \S+ +\S+ 0A .*$/gm;
const unconnectedLine = /^ *\d+: \S+ +\S+ 07 .*$/gm;

/** Every socket with a port that one of these processes holds. */
export function socketsOf(pids: readonly number[]): PortInfo[] {
  const rows = Map.groupBy(allRows(), (row) => row.inode);
  return pids.flatMap((pid) => {
    const processName = processStat(pid)?.name ?? '';
    return [...new Set(socketInodes(pid))]
      .flatMap((inode) => rows.get(inode) ?? [])
      .map(({ inode: _inode, serves: _serves, loopback: _loopback, ...socket }) => ({ pid, ...socket, processName }));
  });
}

/** Ports that one of these processes serves, on any address. */
export function servedPorts(pids: readonly number[]): Set<number> {
  const serving = servingRows();
  const held = inodesOf(pids, new Set(serving.map((row) => row.inode)));
  return new Set(serving.filter((row) => held.has(row.inode)).map((row) => row.localPort));
}

/**
 * True when a member serves each of the ports on an address that the gateway reaches. Called many times a second:
 * processes are looked at only once the tables show every port.
 */
export function portsReady(process: ProcessIdentity, ports: readonly number[]): boolean {
  const wanted = new Set(ports);
  const candidates = servingRows().filter((row) => !row.loopback && wanted.has(row.localPort));
  if (!isCovered(wanted, candidates)) return false;
  const held = inodesOf(membersOf(process), new Set(candidates.map((row) => row.inode)));
  return isCovered(
    wanted,
    candidates.filter((row) => held.has(row.inode)),
  );
}

function isCovered(wanted: ReadonlySet<number>, rows: readonly SocketRow[]): boolean {
  return wanted.isSubsetOf(new Set(rows.map((row) => row.localPort)));
}

/** The part of `inodes` that the processes hold; stops as soon as all are found. */
function inodesOf(pids: readonly number[], inodes: ReadonlySet<string>): Set<string> {
  const held = new Set<string>();
  for (const pid of pids) {
    if (held.size === inodes.size) break;
    for (const inode of socketInodes(pid)) if (inodes.has(inode)) held.add(inode);
  }
  return held;
}

/** Lines of other states are not parsed: a busy server has thousands of connections. */
function servingRows(): SocketRow[] {
  const lines = socketTables.flatMap((table) => {
    const pattern = table.startsWith('tcp') ? listeningLine : unconnectedLine;
    return socketRows(table, (procText(`net/${table}`).match(pattern) ?? []).join('\n'));
  });
  return lines.filter((row) => row.serves);
}

function allRows(): SocketRow[] {
  return socketTables.flatMap((table) => socketRows(table, procText(`net/${table}`)));
}
