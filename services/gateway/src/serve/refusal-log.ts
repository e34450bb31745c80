// Lines in the log about strangers who were refused. The first few of a second have one each, as every request has; in a flood the
// others are counted, and one line tells how many they were. Writing each would cost more than refusing it.
import type { Logger } from '@berth/telemetry';
import type { GatewayCode, GatewayError } from '../errors.ts';

export interface RefusalLog {
  /** Whether the request has a line of its own; otherwise it is in the next sum. */
  hasOwnLine(error: GatewayError): boolean;
}

const ownLinesPerSecond = 10;
const secondMs = 1_000;

const strangersCodes: ReadonlySet<GatewayCode> = new Set<GatewayCode>([
  'AUTHENTICATION_FAILED',
  'AUTHENTICATION_REQUIRED',
  'LOOKUPS_BUSY',
]);

/** Refused before anybody knew who called. A caller who is known has a line whatever the answer is. */
const isOfStranger = ({ code, details }: GatewayError): boolean =>
  strangersCodes.has(code) || details.limit === 'address';

export function createRefusalLog(logger: Logger): RefusalLog {
  const counts = new Map<GatewayCode, number>();
  let ownLines = 0;
  let isTold = true;

  function tell(): void {
    isTold = true;
    ownLines = 0;
    if (counts.size === 0) return;
    const refused = Object.fromEntries(counts);
    counts.clear();
    logger.info(
      { event: 'gateway.strangers_refused', refused },
      'strangers refused; their requests are counted here alone',
    );
  }

  return {
    hasOwnLine(error) {
      if (!isOfStranger(error)) return true;
      if (isTold) {
        isTold = false;
        setTimeout(tell, secondMs).unref();
      }
      ownLines += 1;
      if (ownLines <= ownLinesPerSecond) return true;
      counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
      return false;
    },
  };
}
