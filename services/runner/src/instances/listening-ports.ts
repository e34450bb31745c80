// Ports that a container's processes listen on, from the kernel's table: a message can then name the port to change.
// Under gVisor the table is empty, because the host kernel does not see what listens inside.
import { readFile } from 'node:fs/promises';

export interface ListeningPorts {
  /** Reachable from outside of the container. */
  readonly open: readonly number[];
  /** On a loopback address only. */
  readonly inner: readonly number[];
}

const listenState = '0A';
/** 127.0.0.11: Docker's own resolver, not a port of the workload. */
const dockerResolver = '0B00007F';
const loopback = /^(.{6}7F|0{24}01000000|0000000000000000FFFF0000.{6}7F)$/;

export async function listeningPorts(pid: number | undefined): Promise<ListeningPorts> {
  if (pid === undefined) return { open: [], inner: [] };
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  return parseListening(tables.join('\n'));
}

/** Rows read `0: 0100007F:1F90 00000000:0000 0A …`: local address and port in hex, remote, state. */
export function parseListening(table: string): ListeningPorts {
  const open = new Set<number>();
  const inner = new Set<number>();
  for (const row of table.split('\n')) {
    const [, address, port, state] = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) \S+ ([0-9A-F]{2})/.exec(row) ?? [];
    if (address === undefined || port === undefined || state !== listenState || address === dockerResolver) continue;
    (loopback.test(address) ? inner : open).add(Number.parseInt(port, 16));
  }
  const sorted = (ports: Set<number>) => [...ports].sort((a, b) => a - b);
  return { open: sorted(open), inner: sorted(inner) };
}
