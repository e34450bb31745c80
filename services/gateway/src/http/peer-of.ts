import type { IncomingMessage } from 'node:http';
import type { Peer } from './forwarded-headers.ts';

export function peerOf({ socket }: IncomingMessage, isTrusted: (address: string) => boolean): Peer {
  const address = socket.remoteAddress ?? '';
  return { address, isTls: 'encrypted' in socket, isTrusted: isTrusted(address) };
}
