// Requests that are open for long, such as terminals and event streams. Their caller was admitted once, at the beginning. Each is
// judged again every minute and cut when its key, membership, token or preview is no longer good.
import { type GatewayCode, GatewayError } from '../errors.ts';

export interface OpenStreams {
  /** Until the returned function is called. `admit` throws for a caller who may not pass any more; `cut` ends the request. */
  watch(stream: WatchedStream): () => void;
  /** Judges every request that was open at the last look. */
  look(): Promise<void>;
  close(): void;
}

interface WatchedStream {
  admit(): unknown;
  cut(): void;
}

const lookMs = 60_000;

/** An answer that says nothing about the caller, such as a database that is away, ends nobody's stream. */
const final: ReadonlySet<GatewayCode> = new Set([
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
  'FORBIDDEN',
  'WORKLOAD_NOT_FOUND',
]);

export function createOpenStreams(everyMs = lookMs): OpenStreams {
  let young = new Set<WatchedStream>();
  let old = new Set<WatchedStream>();

  async function look(): Promise<void> {
    const judged = [...old];
    for (const stream of young) old.add(stream);
    young = new Set();
    // One after the other: many streams of one key cost one question.
    for (const stream of judged) if (old.has(stream) && (await isRefused(stream))) stream.cut();
  }

  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    watch(stream) {
      young.add(stream);
      return () => {
        if (!young.delete(stream)) old.delete(stream);
      };
    },
    look,
    close() {
      clearInterval(timer);
      old = new Set();
    },
  };
}

async function isRefused(stream: WatchedStream): Promise<boolean> {
  try {
    await stream.admit();
    return false;
  } catch (error) {
    return error instanceof GatewayError && final.has(error.code);
  }
}
