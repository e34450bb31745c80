// Sends one request once and returns its outcome as the client can tell it: the outcome decides whether the request
// may be sent again.
import { type Agent, request as send } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

export interface Sent {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent in chunks, without a length ahead. */
  readonly body?: Buffer | undefined;
}

export type Tried =
  | {
      readonly end: 'answer';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      readonly body: Buffer;
    }
  /** Nothing accepted the connection. */
  | { readonly end: 'refused' }
  /** The connection ended before a byte of the answer. */
  | { readonly end: 'reset'; readonly why: string }
  /** The connection ended within the answer. */
  | { readonly end: 'cut'; readonly why: string }
  | { readonly end: 'late' };

const pieceBytes = 64 * 1024;

export async function tryOnce(agent: Agent, url: string, sent: Sent, limitMs: number): Promise<Tried> {
  const { hostname, port, protocol } = new URL(url);
  const { method, path, headers, body } = sent;
  const outgoing = send({ agent, protocol, hostname, port, method, path, headers });
  let socket: Socket | undefined;
  let readBefore = 0;
  let isLate = false;
  outgoing.once('socket', (given) => {
    socket = given;
    readBefore = given.bytesRead;
  });
  const timer = setTimeout(() => {
    isLate = true;
    outgoing.destroy(new Error('late'));
  }, limitMs);
  try {
    const answered = new Promise<Tried>((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.once('response', (incoming) => {
        const { statusCode: status = 0 } = incoming;
        buffer(incoming).then(
          (whole) => resolve({ end: 'answer', status, headers: incoming.headers, body: whole }),
          (error: unknown) => resolve(isLate ? { end: 'late' } : { end: 'cut', why: String(error) }),
        );
      });
    });
    // An answer may arrive before the whole body has been sent; the rest of the body does not matter then.
    if (body === undefined) outgoing.end();
    else pipeline(Readable.from(piecesOf(body)), outgoing).catch(() => {});
    return await answered;
  } catch (error) {
    if (isLate) return { end: 'late' };
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ECONNREFUSED') return { end: 'refused' };
    const hasRead = (socket?.bytesRead ?? 0) > readBefore;
    return { end: hasRead ? 'cut' : 'reset', why: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) yield body.subarray(at, at + pieceBytes);
}
