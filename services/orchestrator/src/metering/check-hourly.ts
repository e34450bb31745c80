// Verifies the usage of the last days once an hour. A fault is for the operator: nothing is corrected by itself.
import type { Database } from '@berth/database';
import { Gauge, type Logger, type Registry } from '@berth/telemetry';
import { checkUsage, type Usage } from '@berth/usage';

const days = 3;
const everyMs = 3_600_000;
/** Faults that are logged one by one. */
const maxLogged = 20;

/** Returns a function that checks when an hour has passed since the last check. */
export function createHourlyCheck(
  database: Database,
  usage: Usage,
  { logger, registry }: { readonly logger: Logger; readonly registry: Registry },
): () => Promise<void> {
  const faults = new Gauge({
    name: 'berth_usage_faults',
    help: 'Faults that the last check of stored usage found (berth-server check-usage).',
    registers: [registry],
  });
  let checkedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - checkedAt < everyMs) return;
    checkedAt = performance.now();
    const findings = await checkUsage(database, usage.check, days);
    faults.set(findings.length);
    for (const finding of findings.slice(0, maxLogged))
      logger.error({ event: 'usage.fault', ...finding }, 'stored usage is inconsistent; run berth-server check-usage');
  };
}
