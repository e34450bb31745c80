// Requests to the edge of this machine under one of its names. The certificate is verified for that name; the name itself need not
// lead here yet.
import { once } from 'node:events';
import { request } from 'node:https';
import { isIP } from 'node:net';
import { text } from 'node:stream/consumers';
import { checkServerIdentity, type DetailedPeerCertificate, rootCertificates, TLSSocket } from 'node:tls';
import { edgePorts } from './ports.ts';

export interface EdgeRequest {
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Authorities that are trusted beside the public ones, PEM. */
  readonly authorities: readonly string[];
  readonly timeoutSeconds?: number;
}

export interface EdgeAnswer {
  readonly status: number;
  readonly body: string;
  readonly certificate: DetailedPeerCertificate;
}

export async function requestEdge(wish: EdgeRequest): Promise<EdgeAnswer> {
  const { url, method = 'GET', headers, body, authorities, timeoutSeconds = 20 } = wish;
  const { hostname, pathname, search, host } = new URL(url);
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const outgoing = request({
    host: '127.0.0.1',
    port: edgePorts.https,
    method,
    path: `${pathname}${search}`,
    headers: { host, ...(sent === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    // An address is no name that TLS could carry.
    servername: isIP(hostname) ? '' : hostname,
    ca: [...rootCertificates, ...authorities],
    // A wildcard certificate of the operator may be given without its root.
    allowPartialTrustChain: true,
    checkServerIdentity: (_, certificate) => checkServerIdentity(hostname, certificate),
    agent: false,
    signal: AbortSignal.timeout(timeoutSeconds * 1_000),
  });
  outgoing.end(sent);
  const [response] = await once(outgoing, 'response');
  const { socket } = response;
  if (!(socket instanceof TLSSocket)) throw new Error(`${url} was answered without TLS.`);
  const certificate = socket.getPeerCertificate(true);
  return { status: response.statusCode ?? 0, body: await text(response), certificate };
}
