// JSON client of the node listener. It verifies the listener by the name in its certificate, not by its address: a
// runner may connect through a load balancer, or to a bare address.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, type AgentOptions, request } from 'node:https';
import { bytesPerMb, nodeServerName } from '@berth/contract/node';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Without key and certificate, the api answers only a join. */
export interface Credentials {
  readonly authority: string;
  readonly key?: string;
  readonly certificate?: string;
}

export interface NodeClient {
  post(path: string, body: unknown, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Answer>;
  /** The caller reads the answer's body and decides when it has been silent for too long. */
  open(path: string, body: unknown, signal: AbortSignal): Promise<IncomingMessage>;
  /** New connections use these credentials; requests under way continue. */
  use(credentials: Credentials): void;
  close(): void;
}

const answerTimeoutMs = 15_000;
const maxAnswerBytes = bytesPerMb;

export function createNodeClient(apiUrl: string, first: Credentials): NodeClient {
  let tls = tlsOptions(first);
  let agent = new Agent({ ...tls, keepAlive: true, maxSockets: 16 });
  const send = async (path: string, body: unknown, using: Agent, signal: AbortSignal): Promise<IncomingMessage> => {
    const text = JSON.stringify(body);
    const outgoing = request(new URL(path, apiUrl), {
      ...tls,
      agent: using,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
      signal,
    });
    // After the answer has arrived, its reader sees failures; without this listener they would be unhandled errors
    // here.
    outgoing.on('error', () => {});
    outgoing.end(text);
    const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
    if (incoming === undefined) throw new Error(`${path} had no answer.`);
    return incoming;
  };
  return {
    async post(path, body, { timeoutMs = answerTimeoutMs, signal } = {}) {
      const patience = AbortSignal.timeout(timeoutMs);
      const either = signal === undefined ? patience : AbortSignal.any([patience, signal]);
      return readAnswer(await send(path, body, agent, either));
    },
    // The stream has its own connection: it stays open, and must not wait for a free one.
    open: (path, body, signal) => send(path, body, new Agent({ ...tls, keepAlive: false }), signal),
    use(credentials) {
      tls = tlsOptions(credentials);
      retire(agent);
      agent = new Agent({ ...tls, keepAlive: true, maxSockets: 16 });
    },
    close: () => agent.destroy(),
  };
}

/** Closes idle connections now, and each busy one once its request is answered. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function tlsOptions({ authority, key, certificate }: Credentials): AgentOptions {
  const own = key === undefined || certificate === undefined ? {} : { key, cert: certificate };
  return { ...own, ca: [authority], servername: nodeServerName, minVersion: 'TLSv1.3', rejectUnauthorized: true };
}

export async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxAnswerBytes) throw new Error('The api answered with more than a megabyte.');
    chunks.push(bytes);
  }
  return { status: incoming.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString()) };
}

/** Returns the text itself if it is not JSON: a proxy in between may answer in HTML. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
