// Task counts of executions. Before an execution starts, its status alone determines the counts; task rows are counted
// only for started executions.
import type { Database } from '@berth/database';
import type { ExecutionRow } from './record.ts';

export interface ExecutionStats {
  readonly cancelled: number;
  readonly failure: number;
  readonly retried: number;
  readonly running: number;
  readonly success: number;
  readonly total: number;
}

type Counted = Readonly<Record<string, number>>;

function statsFrom(total: number, counted: Counted): ExecutionStats {
  return {
    cancelled: counted.cancelled ?? 0,
    failure: counted.failed ?? 0,
    // No attempts are recorded yet, because no runner executes tasks.
    retried: 0,
    running: counted.running ?? 0,
    success: counted.succeeded ?? 0,
    total,
  };
}

const beforeStart = ({ status, task_count }: ExecutionRow): ExecutionStats =>
  statsFrom(task_count, status === 'cancelling' || status === 'cancelled' ? { cancelled: task_count } : {});

export async function statsOf(database: Database, rows: readonly ExecutionRow[]): Promise<Map<string, ExecutionStats>> {
  const stats = new Map(rows.map((row) => [row.id, beforeStart(row)]));
  const started = rows.filter(({ started_at }) => started_at !== null);
  if (started.length === 0) return stats;
  const found = await database
    .selectFrom('tasks')
    .select(['execution_id', 'status', ({ fn }) => fn.countAll<number>().as('count')])
    .where(
      'execution_id',
      'in',
      started.map(({ id }) => id),
    )
    .groupBy(['execution_id', 'status'])
    .execute();
  for (const { id, task_count } of started) {
    const own = found.filter(({ execution_id }) => execution_id === id);
    stats.set(id, statsFrom(task_count, Object.fromEntries(own.map(({ status, count }) => [status, count]))));
  }
  return stats;
}
