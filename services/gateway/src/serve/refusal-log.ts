// Log lines for refused anonymous callers. The first few per second get one line each, like every request. In a flood
// the others are only counted, and one line reports their number: writing a line each would cost more than the refusal.
import type { Logger } from '@berth/telemetry';
import type { GatewayCode } from '../errors/error-table.ts';
import type { GatewayError } from '../errors/gateway-error.ts';

export interface RefusalLog {
  /** True when the request gets its own log line; otherwise it is counted in the next summary. */
  hasOwnLine(error: GatewayError): boolean;
}

const ownLinesPerSecond = 10;
const secondMs = 1_000;

const strangersCodes: ReadonlySet<GatewayCode> = new Set<GatewayCode>([
  'AUTHENTICATION_FAILED',
  'AUTHENTICATION_REQUIRED',
  'LOOKUPS_BUSY',
  'TASK_DATA_NOT_FOUND',
]);

/**
 * True when the request was refused before the caller was identified. Requests of identified callers always get a line.
 */
const isOfStranger = ({ code, details }: GatewayError): boolean =>
  strangersCodes.has(code) || details.limit === 'address';

export function createRefusalLog(logger: Logger): RefusalLog {
  const counts = new Map<GatewayCode, number>();
  let ownLines = 0;
  let isSummaryScheduled = false;

  function writeSummary(): void {
    isSummaryScheduled = false;
    ownLines = 0;
    if (counts.size === 0) return;
    const refused = Object.fromEntries(counts);
    counts.clear();
    logger.info(
      { event: 'gateway.strangers_refused', refused },
      'requests of strangers refused; only their number is logged',
    );
  }

  return {
    hasOwnLine(error) {
      if (!isOfStranger(error)) return true;
      if (!isSummaryScheduled) {
        isSummaryScheduled = true;
        setTimeout(writeSummary, secondMs).unref();
      }
      ownLines += 1;
      if (ownLines <= ownLinesPerSecond) return true;
      counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
      return false;
    },
  };
}
