// The exact output of a process. A stream that breaks is continued where it broke, so no byte is lost or repeated.
import type { Process as ProcessInfo } from '../generated/guest.ts';
import { ConnectionError, isPassing } from '../http/errors.ts';
import { jsonLines, withinSilence } from '../http/json-lines.ts';
import { pause } from '../http/pause.ts';
import type { OpenAnswer } from '../http/transport.ts';

/** A piece of the output of a process. */
export type OutputEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** A line of the sandbox itself, for example about a restart. */
  | { readonly type: 'notice'; readonly text: string }
  /** Output that is no longer kept: 32 MiB are, of both streams together. */
  | { readonly type: 'gap'; readonly text: string };

/** The same, with the end of the process. */
export type OutputOrEnd = OutputEvent | { readonly type: 'end'; readonly process: ProcessInfo };

/** One line of the stream. */
type Line =
  | { type: 'stdout' | 'stderr'; data: string; encoding?: 'base64'; next: number }
  | { type: 'notice' | 'gap'; data: string; next: number }
  | { type: 'end'; process: ProcessInfo }
  | { type: 'error'; data: string };

export interface OutputOptions {
  /** Opens the stream at an offset. Called again after each break. */
  readonly open: (offset: number) => Promise<OpenAnswer>;
  readonly signal?: AbortSignal | undefined;
  readonly pauseMs?: { readonly first: number; readonly most: number };
}

/** The guest sends a keepalive every five seconds. */
const silentMs = 20_000;
/** Time for the end of the body, which the guest sends together with the last event. */
const bodyEndMs = 2_000;
/** Breaks in a row without a byte between them. */
const maxBreaks = 10;
const breakPauseMs = { first: 100, most: 3_000 };

/** Ends with the event `end`. */
export async function* followOutput({
  open,
  signal,
  pauseMs = breakPauseMs,
}: OutputOptions): AsyncGenerator<OutputOrEnd> {
  const place = { offset: 0, breaks: 0 };
  let opened: OpenAnswer | undefined = await open(place.offset);
  for (;;) {
    try {
      for await (const event of opened === undefined ? [] : eventsIn(opened, place)) {
        yield event;
        if (event.type === 'end') return;
      }
    } finally {
      opened?.close();
    }
    signal?.throwIfAborted();
    place.breaks += 1;
    if (place.breaks > maxBreaks) throw lost(place.offset);
    await pause(Math.min(pauseMs.most, pauseMs.first * 2 ** (place.breaks - 1)), signal);
    opened = await open(place.offset).catch(passing);
  }
}

function passing(error: unknown): undefined {
  if (!isPassing(error)) throw error;
}

/** Ends without an event where the stream broke. */
async function* eventsIn(
  { answer: { body } }: OpenAnswer,
  place: { offset: number; breaks: number },
): AsyncGenerator<OutputOrEnd> {
  const lines = body === null ? undefined : jsonLines(body, silentMs);
  for (;;) {
    let line: Line;
    try {
      const read = await lines?.next();
      if (read === undefined || read.done) return;
      line = read.value as Line;
    } catch {
      return;
    }
    if (line.type === 'error') return;
    place.breaks = 0;
    if ('next' in line) place.offset = line.next;
    const event = eventOf(line);
    // A connection is used again where its body was read to the end; the next command would pay for a new one.
    if (event?.type === 'end' && lines !== undefined) await withinSilence(lines.next(), bodyEndMs).catch(() => {});
    if (event !== undefined) yield event;
  }
}

function eventOf(line: Exclude<Line, { type: 'error' }>): OutputOrEnd | undefined {
  if (line.type === 'end') return line;
  if (line.type === 'notice' || line.type === 'gap') return { type: line.type, text: line.data };
  // Other types are keepalives, or come from a later service.
  if (line.type !== 'stdout' && line.type !== 'stderr') return undefined;
  return { type: line.type, bytes: line.encoding === 'base64' ? fromBase64(line.data) : encoder.encode(line.data) };
}

const encoder = new TextEncoder();
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

const lost = (offset: number): ConnectionError =>
  new ConnectionError({
    code: 'output_lost',
    status: undefined,
    message: `The output broke off at ${offset} and could not be continued. The process may still run.`,
  });
