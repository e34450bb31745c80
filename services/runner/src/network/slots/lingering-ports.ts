// Connections of an ended process that the kernel still holds. While one of them has the port of a server, the next process
// cannot listen there without SO_REUSEADDR.
import { readFile } from 'node:fs/promises';

/** Clients get ports from here on; a server that listens on one of them is rare and does not choose it. */
const firstClientPort = 32_768;

/** `table` is the text of `/proc/net/tcp`: one connection a line, the second column its own address and port in hex. */
export function hasServerPort(table: string): boolean {
  return table
    .split('\n')
    .slice(1)
    .some((line) => {
      const port = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) /.exec(line)?.[1];
      return port !== undefined && Number.parseInt(port, 16) < firstClientPort;
    });
}

/** Reads the connections in the network namespace of a process. Throws when the process has ended. */
export async function lingersOnServerPort(pid: number): Promise<boolean> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8')));
  return tables.some(hasServerPort);
}
