// Reads the tokens that a provider tells, beside the bytes of its answer. Pure.
import type { ProviderEndpoint, TokenPaths } from '@berth/contract';
import type { Tokens } from '../limits/tokens.ts';
import { estimateTokens } from './estimate-tokens.ts';
import { GrowingBytes } from './growing-bytes.ts';
import { type SseEvent, SseEvents } from './sse-events.ts';
import { streamedText } from './streamed-text.ts';

export interface AnswerToRead {
  readonly endpoint: ProviderEndpoint;
  readonly contentType: string | undefined;
  readonly contentEncoding?: string | undefined;
  /** The client has asked for a stream. */
  readonly isStream: boolean;
  /** The event with the usage is not for the client. */
  readonly dropsUsageEvent: boolean;
}

export interface AnswerReader {
  /**
   * Bytes for the client now: the chunk itself, unless an event has to be dropped. An incomplete event then waits for its
   * end.
   */
  pass(chunk: Buffer): readonly Buffer[];
  /** Bytes that are left at the end of the answer. */
  end(): readonly Buffer[];
  /** Undefined until the provider has told all numbers that the endpoint counts. */
  tokens(): Tokens | undefined;
  /** What the provider has told, and an estimate of the rest. */
  estimate(sentBytes: number): Tokens;
}

interface Reading extends Pick<AnswerReader, 'pass' | 'end'> {
  /** Bytes of what the model said; frames of events do not count. */
  textBytes(): number;
}

export function createAnswerReader(answer: AnswerToRead): AnswerReader {
  const told = new ToldTokens();
  const form = formOf(answer);
  const reading = readings[form](answer, told);
  const { tokens, streamTokens } = answer.endpoint;
  const countsReceived = (form === 'events' ? streamTokens : tokens)?.received !== undefined;
  const cachedOf = (sent: number): number => Math.min(told.cached ?? 0, sent);
  return {
    pass: (chunk) => reading.pass(chunk),
    end: () => reading.end(),
    tokens() {
      const { sent, received } = told;
      if (sent === undefined || (countsReceived && received === undefined)) return undefined;
      return { sent, cached: cachedOf(sent), received: received ?? 0 };
    },
    estimate(sentBytes) {
      const estimated = estimateTokens({ sentBytes, receivedBytes: reading.textBytes() });
      const { sent = estimated.sent, received = estimated.received } = told;
      return { sent, cached: cachedOf(sent), received };
    },
  };
}

type Form = 'events' | 'json' | 'other';

const readings: Readonly<Record<Form, (answer: AnswerToRead, told: ToldTokens) => Reading>> = {
  events: readEvents,
  json: readJson,
  other: passAll,
};

function passAll(): Reading {
  let bytes = 0;
  return {
    pass(chunk) {
      bytes += chunk.length;
      return [chunk];
    },
    end: () => [],
    textBytes: () => bytes,
  };
}

/** An encoded answer is not read. The type that the provider names counts more than what the client asked for. */
function formOf({ endpoint, contentType, contentEncoding = 'identity', isStream }: AnswerToRead): Form {
  if (contentEncoding.trim().toLowerCase() !== 'identity') return 'other';
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const isEvents = type === undefined ? isStream : type === 'text/event-stream';
  if (isEvents) return endpoint.streamTokens === undefined ? 'other' : 'events';
  const isJson = type === undefined || type === 'application/json' || type.endsWith('+json');
  return isJson && (endpoint.tokens !== undefined || (isStream && endpoint.streamTokens !== undefined))
    ? 'json'
    : 'other';
}

function readEvents({ endpoint: { streamTokens }, dropsUsageEvent }: AnswerToRead, told: ToldTokens): Reading {
  const events = new SseEvents();
  const names = streamTokens === undefined ? [] : countedNames(streamTokens);
  let textBytes = 0;
  const isForClient = (event: SseEvent): boolean => {
    textBytes += streamedText(event.bytes);
    // Most events hold content only. Looking for names costs much less than parsing.
    if (streamTokens === undefined || !names.some((name) => event.bytes.includes(name))) return true;
    const value = parse(event.data);
    told.read(value, streamTokens);
    return !(dropsUsageEvent && isUsageEvent(value));
  };
  return {
    pass(chunk) {
      const { complete, unread } = events.push(chunk);
      const wanted = complete.filter(isForClient);
      return dropsUsageEvent ? [...wanted.map(({ bytes }) => bytes), ...unread] : [chunk];
    },
    end() {
      const last = events.end();
      return last !== undefined && isForClient(last) && dropsUsageEvent ? [last.bytes] : [];
    },
    textBytes: () => textBytes,
  };
}

/** Keys of JSON as bytes, each of which an event with a number of interest holds. */
const countedNames = ({ sent, cached = [], received = [] }: TokenPaths): Buffer[] => {
  const names = [...sent, ...cached, ...received].map((path) => path.split('.').at(-1) ?? path);
  return [...new Set(names)].map((name) => Buffer.from(`"${name}"`));
};

/** Other events without choices are for the client: some providers begin with one. */
const isUsageEvent = (value: unknown): boolean => {
  const choices = valueAt(value, 'choices');
  return Array.isArray(choices) && choices.length === 0 && isRecord(valueAt(value, 'usage'));
};

const maxJsonBytes = 4 * 1024 * 1024;

function readJson({ endpoint: { tokens, streamTokens } }: AnswerToRead, told: ToldTokens): Reading {
  const held = new GrowingBytes();
  let isTooLong = false;
  let bytes = 0;
  return {
    pass(chunk) {
      bytes += chunk.length;
      isTooLong ||= held.length + chunk.length > maxJsonBytes;
      if (isTooLong) held.take();
      else held.add(chunk);
      return [chunk];
    },
    end() {
      const value = isTooLong ? undefined : parse(held.take().toString());
      // An endpoint that always streams may answer with a list instead of events.
      if (Array.isArray(value)) for (const part of value) told.read(part, streamTokens);
      else told.read(value, tokens);
      return [];
    },
    textBytes: () => bytes,
  };
}

const measures = ['sent', 'cached', 'received'] as const;

/** Each number is the last one told. */
class ToldTokens implements Partial<Tokens> {
  sent?: number;
  cached?: number;
  received?: number;

  read(value: unknown, paths: TokenPaths | undefined): void {
    for (const measure of measures) {
      const sum = sumAt(value, paths?.[measure] ?? []);
      if (sum !== undefined) this[measure] = sum;
    }
  }
}

function sumAt(value: unknown, paths: readonly string[]): number | undefined {
  const counts = paths.map((path) => valueAt(value, path)).filter(isCount);
  const sum = counts.reduce((a, b) => a + b, 0);
  return counts.length > 0 && isCount(sum) ? sum : undefined;
}

/** A provider may tell anything: other numbers would make sums wrong for good. */
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split('.')) {
    if (!isRecord(at) || !Object.hasOwn(at, name)) return undefined;
    at = at[name];
  }
  return at;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
