// Reads the lines of the stream as messages. The api sends a pulse when it has nothing else to send, so a long
// silence means that the stream is broken.
import type { Readable } from 'node:stream';
import { bytesPerMb, StreamMessage } from '@berth/contract/node';
import { z } from 'zod';

/**
 * Enough for everything that a full machine runs. A longer line is a mistake that would take the memory of the
 * instances.
 */
const maxLineBytes = 64 * bytesPerMb;
const firstMessageMs = 15_000;
const pulsesMissed = 3;

class StreamSilent extends Error {}

/** Throws if nothing arrives for the time of three pulses. */
export async function* readMessages(stream: Readable): AsyncGenerator<StreamMessage> {
  const silence = (ms: number) =>
    setTimeout(() => stream.destroy(new StreamSilent(`Nothing was heard for ${ms / 1_000} seconds.`)), ms);
  let patienceMs = firstMessageMs;
  let timer = silence(patienceMs);
  try {
    for await (const line of lines(stream)) {
      clearTimeout(timer);
      const message = parse(line);
      if (message?.type === 'welcome') patienceMs = message.pulseSeconds * pulsesMissed * 1_000;
      if (message !== undefined) yield message;
      timer = silence(patienceMs);
    }
  } finally {
    clearTimeout(timer);
    stream.destroy();
  }
}

async function* lines(stream: Readable): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    let rest = Buffer.from(chunk);
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString();
      rest = rest.subarray(end + 1);
      parts = [];
      size = 0;
    }
    parts.push(rest);
    size += rest.length;
    if (size > maxLineBytes) throw new Error('The api sent a line of more than 64 MB.');
  }
}

const Typed = z.object({ type: z.string() });
const knownTypes: readonly string[] = StreamMessage.options.map((option) => option.shape.type.value);

/**
 * A newer api may send types of messages that this runner does not know: they are skipped. Known types must be
 * well-formed.
 */
function parse(line: string): StreamMessage | undefined {
  if (line.trim() === '') return undefined;
  const value: unknown = JSON.parse(line);
  if (!knownTypes.includes(Typed.parse(value).type)) return undefined;
  return StreamMessage.parse(value);
}
