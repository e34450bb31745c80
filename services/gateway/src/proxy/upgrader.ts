// A client that asks for another protocol, such as WebSocket, gets its own connection to the workload. After `101` the
// gateway no longer parses the bytes.

import { type IncomingMessage, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { NotDispatched } from '@berth/wire';
import { pairsOf, withoutHopByHop } from '../http/hop-by-hop.ts';
import type { ServedKind } from '../workloads/workload.ts';
import type { Timeouts } from '../workloads/workload-kind.ts';
import type { Connector } from './connector.ts';
import type { ForwardTask } from './forwarder.ts';
import { join } from './join.ts';
import { type Outcome, outcomeOf, type ProxyError, startTally, type Tally } from './outcome.ts';
import { type RequestTimer, startRequestTimer } from './request-timer.ts';

export interface UpgraderOptions {
  readonly connector: Connector;
  readonly timeouts: Readonly<Record<ServedKind, Timeouts>>;
  /** How long one side may stay silent after the other side has ended. */
  readonly halfClosedMs?: number;
}

interface UpgradeTask extends ForwardTask {
  readonly socket: Socket;
  /** Bytes that the client sent before it received the response. */
  readonly head: Buffer;
}

export interface Upgrader {
  /** Never throws. Resolves when both sides are closed, or at once when nothing was written to the client. */
  upgrade(task: UpgradeTask): Promise<Outcome>;
}

export function createUpgrader({ connector, timeouts, halfClosedMs = 5_000 }: UpgraderOptions): Upgrader {
  return {
    async upgrade(task) {
      const tally = startTally();
      const stop = new AbortController();
      let isLate = false;
      const timer = startRequestTimer(timeouts[task.kind], () => {
        isLate = true;
        stop.abort();
      });
      // After the two sides are joined, the end of one side is passed to the other in order.
      const onGone = () => tally.status === undefined && stop.abort();
      task.socket.once('close', onGone);
      let error: ProxyError | undefined;
      try {
        const upstream = await connector.connect(task.endpoint, stop.signal);
        await sendUpgrade({ ...task, halfClosedMs }, upstream, tally, timer, stop.signal);
      } catch (cause) {
        error = { code: codeOf(cause, tally, isLate, task.socket), cause };
        if (tally.status !== undefined) task.socket.destroy();
      } finally {
        task.socket.off('close', onGone);
        timer.stop();
      }
      return outcomeOf(tally, error);
    },
  };
}

function codeOf(cause: unknown, tally: Tally, isLate: boolean, socket: Socket): ProxyError['code'] {
  if (isLate) return 'timed_out';
  if (socket.destroyed) return 'client_gone';
  if (cause instanceof NotDispatched) return 'unreachable';
  if (tally.status !== undefined) return 'cut';
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return code.startsWith('HPE_') ? 'bad_answer' : 'reset';
}

function sendUpgrade(
  task: UpgradeTask & { readonly halfClosedMs: number },
  upstream: Duplex,
  tally: Tally,
  timer: RequestTimer,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error | null) => (error ? reject(error) : resolve());
    const onAbort = () => {
      upstream.destroy();
      reject(new Error('no longer wanted'));
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    const outgoing = sendRequest({
      method: task.request.method,
      path: task.path,
      headers: upgradeHeaders(task.headers, task.request.headers.upgrade ?? ''),
      createConnection: () => upstream,
      setHost: false,
      setDefaultHeaders: false,
    });
    outgoing.on('error', reject);
    outgoing.on('upgrade', (answer, _, ahead) => {
      noteHead(answer, tally);
      acceptUpgrade(task, answer, upstream, ahead);
      join({ client: task.socket, upstream, tally, timer, settle, halfClosedMs: task.halfClosedMs });
    });
    outgoing.on('response', (answer) => {
      noteHead(answer, tally);
      answer.on('data', (chunk: Buffer) => {
        tally.bytesOut += chunk.length;
        timer.touch();
      });
      passRefusal(task, answer, settle);
    });
    tally.dispatchState = 'dispatched';
    outgoing.end();
  });
}

function noteHead(answer: IncomingMessage, tally: Tally): void {
  tally.status = answer.statusCode;
  tally.dispatchState = 'answered';
  tally.firstByteMs = performance.now() - tally.startedAt;
}

function acceptUpgrade(
  { socket, response, head, onResponseHead }: UpgradeTask,
  answer: IncomingMessage,
  upstream: Duplex,
  ahead: Buffer,
) {
  const protocol = answer.headers.upgrade ?? '';
  const headers = onResponseHead(101, [
    ...withoutHopByHop(answer.rawHeaders),
    'Connection',
    'Upgrade',
    'Upgrade',
    protocol,
  ]);
  const lines = [...pairsOf(headers)].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  response.detachSocket(socket);
  socket.write(`HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n${lines}\r\n`, 'latin1');
  // Early bytes are pushed back, so that they pass like all later bytes.
  if (head.length > 0) socket.unshift(head);
  if (ahead.length > 0) upstream.unshift(ahead);
}

/** The workload refuses the upgrade: its ordinary response is passed on, and the connection ends. */
function passRefusal(
  { response, onResponseHead }: UpgradeTask,
  answer: IncomingMessage,
  settle: (error?: Error | null) => void,
) {
  const status = answer.statusCode ?? 502;
  response.writeHead(status, answer.statusMessage ?? '', onResponseHead(status, withoutHopByHop(answer.rawHeaders)));
  pipeline(answer, response, settle);
}

function upgradeHeaders(raw: readonly string[], protocol: string): string[] {
  return [...withoutHopByHop(raw), 'Connection', 'Upgrade', 'Upgrade', protocol];
}
