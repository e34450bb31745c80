// Serves one call of the api on the local socket: reads the body until the other side ends, then answers. If a call
// is cut off, the node stream delivers what it asked for.
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { bytesPerMb, type RunnerCallAnswer, type RunnerCallName, runnerCalls } from '@berth/contract/node';
import type { Logger } from '@berth/telemetry';
import { parseLine } from '@berth/wire';
import type { z } from 'zod';
import type { RunnerCalls } from './runner-calls.ts';

export interface CallTools {
  readonly calls: RunnerCalls;
  readonly logger: Logger;
}

/** The limit that a guest has for its environment. */
const maxBodyBytes = 4 * bytesPerMb;
/** The api sends the whole body at once. */
const bodyMs = 10_000;
const maxMessage = 2_000;

export async function serveCall(socket: Socket, name: RunnerCallName, { calls, logger }: CallTools): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), bodyMs);
  const text = await readText(socket, maxBodyBytes);
  clearTimeout(timer);
  if (text === undefined) {
    socket.destroy();
    return;
  }
  const answer = await answerTo(name, text, calls).catch((err: unknown): RunnerCallAnswer => {
    logger.warn({ err, call: name }, 'call of the api failed; the node stream repeats the change');
    return { call: 'failed', message: (err instanceof Error ? err.message : String(err)).slice(0, maxMessage) };
  });
  if (socket.writable) socket.end(JSON.stringify(answer));
}

async function answerTo(name: RunnerCallName, text: string, calls: RunnerCalls): Promise<RunnerCallAnswer> {
  if (name === 'adopt') return carryOut(text, runnerCalls.adopt, (body) => calls.adopt(body));
  if (name === 'wake') return carryOut(text, runnerCalls.wake, (body) => calls.wake(body));
  return carryOut(text, runnerCalls.sleep, (body) => calls.sleep(body));
}

async function carryOut<Body>(
  text: string,
  schema: z.ZodType<Body>,
  handle: (body: Body) => Promise<RunnerCallAnswer>,
): Promise<RunnerCallAnswer> {
  const body = parseLine(text, schema);
  return body === undefined
    ? { call: 'failed', message: 'The body is not what this call takes: api and runner are of different releases.' }
    : handle(body);
}

/**
 * Undefined if the stream breaks off or exceeds `maxBytes`. Reads by events: an iterator would also close the half
 * of the socket that is needed for the answer.
 */
function readText(stream: Readable, maxBytes: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) resolve(undefined);
      else chunks.push(chunk);
    });
    stream.once('end', () => resolve(Buffer.concat(chunks).toString()));
    stream.once('close', () => resolve(undefined));
  });
}
