// Marks a runner as lost after 30 seconds of silence (`lostAfterSeconds`): its instances are placed elsewhere, and it
// removes them when it returns. Sandboxes stay with their runner, because their content exists nowhere else. Silence
// counts only while this process was able to receive: an outage of the api or the database of a minute must not move
// every instance.
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseTransaction, outboxTopics, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import type { NodeContext } from './node-context.ts';
import type { SeenRunner } from './runner-metrics.ts';

const pollMs = 2_500;

export interface RunnerWatch {
  stop(): Promise<void>;
}

export function watchRunners(
  context: NodeContext,
  lostAfterSeconds: number,
  onSeen: (runners: readonly SeenRunner[]) => void,
): RunnerWatch {
  const stopping = new AbortController();
  const run = async (): Promise<void> => {
    let listeningSince = performance.now();
    let lastPoll = performance.now();
    while (!stopping.signal.aborted) {
      // A stopped or starved process receives nothing either. Measured from poll to poll, because the process may have
      // been stopped within one.
      if (performance.now() - lastPoll > pollMs * 3) listeningSince = performance.now();
      lastPoll = performance.now();
      try {
        const silentSeconds = (performance.now() - listeningSince) / 1_000;
        if (silentSeconds > lostAfterSeconds) await markSilentRunnersLost(context, lostAfterSeconds);
        onSeen(await loadSeen(context));
      } catch (err) {
        context.logger.warn({ err }, 'check for silent runners failed; silence is counted from now');
        listeningSince = performance.now();
      }
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** A deployment has some hundred runners. */
function loadSeen({ database }: NodeContext): Promise<SeenRunner[]> {
  return database
    .selectFrom('runners')
    .select(['name', 'region', 'status'])
    .select(sql<number | null>`extract(epoch from clock_timestamp() - last_seen_at)::float8`.as('silentSeconds'))
    .execute();
}

async function markSilentRunnersLost(context: NodeContext, lostAfterSeconds: number): Promise<void> {
  const { database, logger } = context;
  const silent = await database
    .selectFrom('runners')
    .select(['id', 'name'])
    .where('status', '=', 'up')
    .where('last_seen_at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${lostAfterSeconds})`)
    .execute();
  for (const { id, name } of silent) {
    const ended = await database.transaction().execute((tx) => markLost(tx, id, lostAfterSeconds));
    if (ended === undefined) continue;
    logger.warn(
      { runner: id, name, instances: ended },
      'runner lost; its instances are placed elsewhere, its sandboxes wait for it',
    );
    context.dependencies.notifyOutbox();
    context.dependencies.notifyRoutes();
  }
}

/**
 * Number of instances that ended with the runner; undefined when the runner has reported again or another process was
 * faster.
 */
async function markLost(tx: DatabaseTransaction, id: string, lostAfterSeconds: number): Promise<number | undefined> {
  const lost = await tx
    .updateTable('runners')
    .set({ status: 'lost' })
    .where('id', '=', id)
    .where('status', '=', 'up')
    .where('last_seen_at', '<', sql<Date>`clock_timestamp() - make_interval(secs => ${lostAfterSeconds})`)
    .returning(['id', 'last_seen_at'])
    .executeTakeFirst();
  if (lost === undefined) return undefined;
  // What runs there costs nothing from its last word on, until it is back.
  if (lost.last_seen_at !== null)
    await tx
      .insertInto('runner_absences')
      .values({ runner_id: id, since: lost.last_seen_at })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  // A sandbox that was ever ready holds its owner's data, so it is kept and its memory stays reserved.
  const isKept = sql`(pool is null and desired = 'running' and spec ? 'sandbox' and ready_at is not null)`;
  // The result of an attempt that ended before is not lost with the machine.
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      update instances set desired = 'gone', ended_at = clock_timestamp(),
        state = case when result is null then 'lost' else state end,
        message = case when result is null then 'Its machine has not been heard from.' else message end
      where runner_id = ${id} and ${unendedInstance()} and not ${isKept}
      returning execution_id, resource_uid, workspace_id, reserved_mb
    ), told as (
      insert into outbox (topic, key, workspace_id)
      select ${sql.lit(outboxTopics.execution)}, execution_id::text, workspace_id from ended
      where execution_id is not null
      union select ${sql.lit(outboxTopics.reconcile)}, resource_uid::text, workspace_id from ended
      where execution_id is null and resource_uid is not null
      union select ${sql.lit(outboxTopics.reconcile)}, resource_uid::text, workspace_id from instances
      where runner_id = ${id} and ${unendedInstance()} and ${isKept}
    ), given_back as (
      update runners set reserved_mb = runners.reserved_mb - coalesce((select sum(reserved_mb) from ended), 0)
      where id = ${id}
    )
    select count(*)::int as ended from ended`.execute(tx);
  return rows[0]?.ended ?? 0;
}
