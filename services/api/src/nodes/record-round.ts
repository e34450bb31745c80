// Records one report for each of many instances with one statement. Runners report times as durations, because their
// clocks are not synchronized with ours.
import type { InstanceReport } from '@berth/contract/node';
import { type DatabaseTransaction, type OutboxMessage, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import { messageAfter, type PreviousState } from './message-after-report.ts';
import type { InstanceStart } from './start-metrics.ts';

interface RecordedRow extends PreviousState {
  readonly id: string;
  readonly pool: string | null;
  readonly reservedMb: number;
  readonly wasReady: boolean;
  readonly ageMs: number;
}

export interface Recorded {
  /** Follows when the report changes the instance in a way that matters for its resource or its execution. */
  readonly message: OutboxMessage | undefined;
  readonly started: InstanceStart | undefined;
  readonly freedMb: number;
  /** The attempt of a task has ended, and its runner may remove it. */
  readonly isEnded: boolean;
  /** A warm pool instance ended or failed without an owner, so the pool needs another one. */
  readonly isPoolShort: boolean;
}

/** Takes at most one report per instance. */
export async function recordRound(
  tx: DatabaseTransaction,
  runnerId: string,
  session: number,
  reports: readonly InstanceReport[],
): Promise<Recorded[]> {
  const reportById = new Map(reports.map((report) => [report.instance, report]));
  // Rows are locked in order of their ids, as in every other place that locks several. A report of "gone" for an
  // instance that should run is skipped: the same stream makes the runner start it again, so the instance has not
  // ended. An attempt ends once: after its result only its removal is recorded. A runner that reports the end without
  // a result has lost it.
  const { rows } = await sql<RecordedRow>`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as said(
        instance uuid, sequence bigint, state text, code text, message text, starts integer, address text, stages jsonb,
        generation integer, awake boolean, "usedMsAgo" double precision, "isExpired" boolean, result jsonb)
    ), before as (
      select instances.id, execution_id, resource_uid, workspace_id, pool, instances.state, instances.message, reserved_mb,
        ready_at, is_expired, instances.result is not null as has_result,
        execution_id is not null and said.state = 'ended' and instances.result is null as is_end,
        clock_timestamp() - make_interval(secs => coalesce((said.result ->> 'endedMsAgo')::float8, 0) / 1000) as end_at,
        make_interval(secs => (said.result ->> 'ranMs')::float8 / 1000) as ran_for
      from instances join said on said.instance = instances.id
      where runner_id = ${runnerId} and ${unendedInstance('instances')}
        and (report_session, report_sequence) < (${session}::bigint, said.sequence)
        and not (said.state = 'gone' and desired = 'running')
      order by instances.id for update of instances
    ), recorded as (
      update instances set
        state = case when has_result and said.state <> 'gone' then instances.state else said.state end,
        message = case when has_result then instances.message else said.message end,
        starts = said.starts, report_session = ${session}, report_sequence = said.sequence,
        code = coalesce(said.code, instances.code),
        address = coalesce(said.address, instances.address),
        stages = coalesce(said.stages, instances.stages),
        applied_generation = greatest(applied_generation, said.generation),
        awake = coalesce(said.awake, instances.awake),
        used_at = greatest(used_at, clock_timestamp() - make_interval(secs => said."usedMsAgo" / 1000)),
        is_expired = coalesce(said."isExpired", instances.is_expired),
        ready_at = case
          when is_end and ran_for is not null then least(instances.ready_at, end_at - ran_for)
          when said.state = 'ready' and not has_result then coalesce(instances.ready_at, clock_timestamp())
          else instances.ready_at end,
        failed_at = case when said.state = 'failed' then clock_timestamp() else failed_at end,
        ended_at = case when said.state = 'gone' then clock_timestamp() end,
        result = case when is_end then jsonb_strip_nulls(jsonb_build_object(
            'reason', coalesce(said.result ->> 'reason', 'lost'), 'exitCode', said.result -> 'exitCode'))
          else instances.result end,
        finished_at = case when is_end then end_at else finished_at end,
        desired = case when is_end then 'gone' else desired end,
        reserved_mb = case when is_end then 0 else instances.reserved_mb end
      from said, before where instances.id = said.instance and instances.id = before.id
      returning instances.id, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as age_ms
    )
    select before.id, execution_id as "executionId", resource_uid as "resourceUid", workspace_id as "workspaceId", pool,
      state, message, reserved_mb as "reservedMb", ready_at is not null as "wasReady", is_expired as "wasExpired",
      has_result as "hadResult", age_ms as "ageMs"
    from before join recorded using (id)`.execute(tx);
  return rows.flatMap((before) => {
    const report = reportById.get(before.id);
    return report === undefined ? [] : [outcomeOf(before, report)];
  });
}

function outcomeOf(before: RecordedRow, report: InstanceReport): Recorded {
  const { pool, executionId, hadResult, wasReady, ageMs, reservedMb } = before;
  const isGone = report.state === 'gone';
  const isEnded = executionId !== null && report.state === 'ended' && !hadResult;
  return {
    message: messageAfter(before, report),
    started: report.state === 'ready' && !wasReady ? { totalMs: ageMs, stages: report.stages ?? {} } : undefined,
    freedMb: isGone || isEnded ? reservedMb : 0,
    isEnded,
    isPoolShort: pool !== null && (isGone || report.state === 'failed') && before.state !== report.state,
  };
}
