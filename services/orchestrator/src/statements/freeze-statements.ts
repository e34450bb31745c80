// Stores statements of months that are over. A statement is final, so it is stored only while PostgreSQL and ClickHouse agree.
import type { Database } from '@berth/database';
import { Counter, type Logger, type Registry } from '@berth/telemetry';
import { addMonths, monthPeriod, type Usage } from '@berth/usage';
import { readControl } from './closed-hours-control.ts';
import { type DueStatement, findDueStatements } from './due-statements.ts';
import { type StoredStatement, storeStatement } from './store-statement.ts';

export interface StatementDependencies {
  readonly database: Database;
  readonly usage: Pick<Usage, 'statements'>;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Ends a run before the next account. */
  readonly signal: AbortSignal;
}

/** Months before the stated one whose late usage becomes a line; intervals are kept as long. */
const lookBackMonths = 13;
const maxStatements = 100;
/** Pause of an account whose statement was refused or failed, so that it does not keep other accounts waiting. */
const postponeMs = 3_600_000;

/** Returns a function that stores statements that are due, and resolves with the number of them. */
export function createStatementFreezer(dependencies: StatementDependencies): (nowMs: number) => Promise<number> {
  const { database, logger, registry, signal } = dependencies;
  const refused = new Counter({
    name: 'berth_usage_statements_refused_total',
    help: 'Statements that were not stored because closed hours differ from the totals in PostgreSQL (berth-server check-usage).',
    registers: [registry],
  });
  const postponedUntil = new Map<string, number>();
  return async (nowMs) => {
    for (const [accountId, untilMs] of postponedUntil) if (untilMs <= nowMs) postponedUntil.delete(accountId);
    const due = await findDueStatements(database, {
      ...{ nowMs, limit: maxStatements },
      postponed: [...postponedUntil.keys()],
    });
    let stored = 0;
    for (const statement of due) {
      if (signal.aborted) break;
      const { accountId, month } = statement;
      // Set before the work, so that a failure leaves it.
      postponedUntil.set(accountId, nowMs + postponeMs);
      const result = await freeze(dependencies, statement);
      if (result.kind === 'refused') {
        refused.inc();
        logger.error(
          { event: 'usage.statement_refused', accountId, month, differing: result.months },
          'statement not stored, because closed hours are missing or changed; run berth-server check-usage',
        );
        continue;
      }
      postponedUntil.delete(accountId);
      if (result.kind !== 'stored') continue;
      stored += 1;
      logger.info(
        { event: 'usage.statement_stored', accountId, month, lines: result.lines },
        'statement stored; it is final',
      );
    }
    return stored;
  };
}

async function freeze({ database, usage }: StatementDependencies, due: DueStatement): Promise<StoredStatement> {
  const { accountId, month } = due;
  const period = { fromMs: monthPeriod(addMonths(month, -lookBackMonths)).fromMs, toMs: monthPeriod(month).toMs };
  // The control is read before the sums and again after them: what is closed in between changes it.
  const control = await readControl(database, { accountId, ...period });
  const sums = await usage.statements.sums({ accountId, ...period });
  return storeStatement(database, { ...due, period, sums, control });
}
