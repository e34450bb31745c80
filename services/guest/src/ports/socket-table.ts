// The tables of /proc/net. Linux and gVisor write them alike, but gVisor leaves udp6 empty: there, a UDP socket of the
// IPv6 family is not seen.
import { addressText, isLoopback, wordsOf } from './socket-address.ts';

export type SocketRow = {
  protocol: 'tcp' | 'udp';
  localAddr: string;
  localPort: number;
  remoteAddr: string;
  remotePort: number;
  state: string;
  inode: string;
  /** Accepts traffic from any peer: TCP in LISTEN, UDP bound to a port and to no peer. */
  serves: boolean;
  loopback: boolean;
};

export const socketTables = ['tcp', 'tcp6', 'udp', 'udp6'] as const;

const stateNames = new Map([
  ['01', 'ESTABLISHED'],
  ['02', 'SYN_SENT'],
  ['03', 'SYN_RECV'],
  ['04', 'FIN_WAIT1'],
  ['05', 'FIN_WAIT2'],
  ['06', 'TIME_WAIT'],
  ['07', 'CLOSE'],
  ['08', 'CLOSE_WAIT'],
  ['09', 'LAST_ACK'],
  ['0A', 'LISTEN'],
  ['0B', 'CLOSING'],
  ['0C', 'NEW_SYN_RECV'],
]);

/** Sockets without a local port are left out: gVisor also lists sockets that were only created. */
export function socketRows(table: (typeof socketTables)[number], text: string): SocketRow[] {
  const protocol = table.startsWith('tcp') ? 'tcp' : 'udp';
  return text.split('\n').flatMap((line) => {
    const [, local, remote, code = '', , , , , , inode] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || inode === undefined || !/^\d+$/.test(inode)) return [];
    const [localHex = '', localPort = 0] = splitPort(local);
    const [remoteHex = '', remotePort = 0] = splitPort(remote);
    if (localPort === 0) return [];
    const words = wordsOf(localHex);
    const state = stateOf(protocol, code);
    return {
      protocol,
      localAddr: addressText(words),
      localPort,
      remoteAddr: addressText(wordsOf(remoteHex)),
      remotePort,
      state,
      inode,
      serves: protocol === 'tcp' ? state === 'LISTEN' : state === 'NONE' && remotePort === 0,
      loopback: isLoopback(words),
    };
  });
}

function stateOf(protocol: 'tcp' | 'udp', code: string): string {
  const state = stateNames.get(code) ?? code;
  return protocol === 'udp' && state === 'CLOSE' ? 'NONE' : state;
}

function splitPort(text: string): [string, number] {
  const [address = '', port = '0'] = text.split(':');
  return [address, Number.parseInt(port, 16)];
}
