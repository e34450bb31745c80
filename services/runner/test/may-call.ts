import { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { rightsOf } from '../src/ingress/caller-rights.ts';

/** For tests: the check that a runner's ingress makes before it takes a call. */
export function mayCall(authorityPem: string): (socket: TLSSocket) => boolean {
  const authority = new X509Certificate(authorityPem);
  return (socket) => rightsOf(socket.getPeerX509Certificate(), authority, Date.now()).includes('calls');
}
