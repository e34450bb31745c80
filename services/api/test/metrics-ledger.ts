// The ledger of usage as tests fill it: rows as the api stores them, and hours as the orchestrator closes them.
import type { Database } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { type LedgerRow, loadPrices, openUsage, storeRows } from '@berth/usage';

const hourMs = 3_600_000;
const hourOf = (ms: number): number => Math.floor(ms / hourMs) * hourMs;

export interface TestLedger extends AsyncDisposable {
  /** Stores rows; their hours stay dirty. */
  store(rows: readonly LedgerRow[]): Promise<void>;
  /** Closes hours of an account at the prices of now. Their marks stay. */
  close(accountId: string, hoursMs: readonly number[]): Promise<void>;
  /** Writes rows of closed hours, without marks. */
  storeClosed(rows: readonly LedgerRow[]): Promise<void>;
}

export function openTestLedger(database: Database, url: string): TestLedger {
  const usage = openUsage({ url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  const { ledger } = usage;
  const close = async (accountId: string, hoursMs: readonly number[]) => {
    const prices = await loadPrices(database, accountId);
    await Promise.all(hoursMs.map((ms) => ledger.closeHour({ accountId, hourMs: ms, prices, version: Date.now() })));
  };
  return {
    store: (rows) => storeRows(database, ledger, rows),
    close,
    async storeClosed(rows) {
      await ledger.write(rows);
      for (const [accountId, own] of Map.groupBy(rows, (row) => row.accountId))
        await close(accountId, [...new Set(own.map(({ fromMs }) => hourOf(fromMs)))]);
    },
    [Symbol.asyncDispose]: () => usage.close(),
  };
}
