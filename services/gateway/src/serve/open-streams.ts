// Long-lived requests, such as terminals and event streams. Their caller was admitted once, at the beginning. The
// gateway checks each of them again every minute and cuts it when its key, membership, token or preview is no longer
// valid.
import type { GatewayCode } from '../errors/error-table.ts';
import { GatewayError } from '../errors/gateway-error.ts';

export interface OpenStreams {
  /**
   * Watches until the returned function is called. `admit` throws for a caller who may no longer pass; `cut` ends the
   * request.
   */
  watch(stream: WatchedStream): () => void;
  /** Checks every request that was already open at the previous check. */
  recheck(): Promise<void>;
  close(): void;
}

interface WatchedStream {
  admit(): unknown;
  cut(): void;
}

const recheckMs = 60_000;

/** Other errors, such as an unreachable database, say nothing about the caller and do not end a stream. */
const revokingCodes: ReadonlySet<GatewayCode> = new Set([
  'AUTHENTICATION_REQUIRED',
  'AUTHENTICATION_FAILED',
  'FORBIDDEN',
  'WORKLOAD_NOT_FOUND',
]);

export function createOpenStreams(everyMs = recheckMs): OpenStreams {
  let young = new Set<WatchedStream>();
  let old = new Set<WatchedStream>();

  async function look(): Promise<void> {
    const checked = [...old];
    for (const stream of young) old.add(stream);
    young = new Set();
    // Sequential, so that many streams of one key cost one query.
    for (const stream of checked) if (old.has(stream) && (await isRefused(stream))) stream.cut();
  }

  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    watch(stream) {
      young.add(stream);
      return () => {
        if (!young.delete(stream)) old.delete(stream);
      };
    },
    recheck: look,
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
    return error instanceof GatewayError && revokingCodes.has(error.code);
  }
}
