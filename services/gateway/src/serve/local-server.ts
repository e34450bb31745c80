// HTTP inside this process, without a port: what asynchronous calls are performed through. No client can reach it, so what it
// is given needs no proof.
import { createServer, request as openRequest } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import type { Call } from '../http/gateway-server.ts';
import { maxToldBytes } from '../invocations/callback-body.ts';
import type { RunAnswer } from '../invocations/judge-run.ts';

interface LocalRequest {
  readonly method: string;
  readonly contentType: string | undefined;
  /** Trace that the request continues. */
  readonly traceparent: string | undefined;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly handle: (call: Call) => Promise<void>;
}

export interface LocalServer {
  /** The answer, cut to what is told of it; undefined where it broke off. */
  send(request: LocalRequest): Promise<RunAnswer | undefined>;
}

interface Served {
  readonly handle: LocalRequest['handle'];
  /** Settles when the request is handled; undefined before it has arrived. */
  handled?: Promise<void>;
}

export function createLocalServer(): LocalServer {
  const requests = new WeakMap<Duplex, Served>();
  const server = createServer({ requireHostHeader: false, requestTimeout: 0, headersTimeout: 0 });
  server.on('request', (request, response) => {
    const served = requests.get(request.socket);
    response.shouldKeepAlive = false;
    response.on('error', () => {});
    if (served === undefined) return void response.destroy();
    const call = { request, response, upgrade: undefined };
    served.handled = served.handle(call).catch(() => void response.destroy());
  });
  return {
    async send({ method, contentType, traceparent, body, signal, handle }) {
      const [client, inside] = duplexPair();
      const end = (): void => {
        client.destroy();
        inside.destroy();
      };
      const served: Served = { handle };
      client.on('error', end);
      inside.on('error', end);
      requests.set(inside, served);
      server.emit('connection', inside);
      signal.addEventListener('abort', end, { once: true });
      try {
        return await exchange(client, { method, contentType, traceparent, body });
      } catch {
        end();
        return undefined;
      } finally {
        // The client has the last byte a moment before the other side knows that it was sent.
        await served.handled;
        signal.removeEventListener('abort', end);
        end();
      }
    },
  };
}

function exchange(
  client: Duplex,
  { method, contentType, traceparent, body }: Omit<LocalRequest, 'signal' | 'handle'>,
): Promise<RunAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<RunAnswer>();
  const headers = {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(body.length === 0 ? {} : { 'content-length': body.length }),
  };
  const request = openRequest({ createConnection: () => client, method, path: '/', headers }, (response) => {
    const kept: Buffer[] = [];
    let [bytes, keptBytes] = [0, 0];
    response.on('data', (chunk: Buffer) => {
      const room = maxToldBytes - keptBytes;
      bytes += chunk.length;
      if (room <= 0) return;
      kept.push(chunk.subarray(0, room));
      keptBytes += Math.min(room, chunk.length);
    });
    response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(kept), bytes }));
    response.once('close', () => reject(new Error('The answer broke off.'))).on('error', reject);
  });
  request.on('error', reject).once('close', () => reject(new Error('There was no answer.')));
  request.end(body);
  return promise;
}
