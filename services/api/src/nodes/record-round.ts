// Records one report for each of many instances with one statement. Runners report times as durations, because their
// clocks are not synchronized with ours.
import type { InstanceReport } from '@berth/contract/node';
import { type DatabaseTransaction, unendedInstance } from '@berth/database';
import { sql } from 'kysely';
import type { InstanceStart } from './start-metrics.ts';

interface PreviousState {
  readonly id: string;
  readonly resourceUid: string | null;
  readonly workspaceId: string | null;
  readonly pool: string | null;
  readonly state: string;
  readonly message: string | null;
  readonly reservedMb: number;
  readonly wasReady: boolean;
  readonly wasExpired: boolean;
  readonly ageMs: number;
}

export interface ReconcileTarget {
  readonly uid: string;
  readonly workspaceId: string;
}

export interface Recorded {
  /** The resource to reconcile, when the report changes its instance in a way that matters. */
  readonly reconcile: ReconcileTarget | undefined;
  readonly started: InstanceStart | undefined;
  readonly freedMb: number;
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
  // ended.
  const { rows } = await sql<PreviousState>`
    with said as (
      select * from jsonb_to_recordset(${JSON.stringify(reports)}::jsonb) as said(
        instance uuid, sequence bigint, state text, code text, message text, starts integer, address text, stages jsonb,
        generation integer, awake boolean, "usedMsAgo" double precision, "isExpired" boolean)
    ), before as (
      select instances.id, resource_uid, workspace_id, pool, instances.state, instances.message, reserved_mb, ready_at, is_expired
      from instances join said on said.instance = instances.id
      where runner_id = ${runnerId} and ${unendedInstance()}
        and (report_session, report_sequence) < (${session}::bigint, said.sequence)
        and not (said.state = 'gone' and desired = 'running')
      order by instances.id for update of instances
    ), recorded as (
      update instances set
        state = said.state, starts = said.starts, message = said.message,
        report_session = ${session}, report_sequence = said.sequence,
        code = coalesce(said.code, instances.code),
        address = coalesce(said.address, instances.address),
        stages = coalesce(said.stages, instances.stages),
        applied_generation = greatest(applied_generation, said.generation),
        awake = coalesce(said.awake, instances.awake),
        used_at = greatest(used_at, clock_timestamp() - make_interval(secs => said."usedMsAgo" / 1000)),
        is_expired = coalesce(said."isExpired", instances.is_expired),
        ready_at = case when said.state = 'ready' then coalesce(instances.ready_at, clock_timestamp()) else instances.ready_at end,
        failed_at = case when said.state = 'failed' then clock_timestamp() else failed_at end,
        ended_at = case when said.state = 'gone' then clock_timestamp() end
      from said, before where instances.id = said.instance and instances.id = before.id
      returning instances.id, extract(epoch from clock_timestamp() - created_at)::float8 * 1000 as age_ms
    )
    select before.id, resource_uid as "resourceUid", workspace_id as "workspaceId", pool, state, message, reserved_mb as "reservedMb",
      ready_at is not null as "wasReady", is_expired as "wasExpired", age_ms as "ageMs"
    from before join recorded using (id)`.execute(tx);
  return rows.flatMap((before) => {
    const report = reportById.get(before.id);
    return report === undefined ? [] : [outcomeOf(before, report)];
  });
}

function outcomeOf(before: PreviousState, report: InstanceReport): Recorded {
  const { pool, resourceUid: uid, workspaceId, wasReady, ageMs, reservedMb } = before;
  const isGone = report.state === 'gone';
  const owned = uid === null || workspaceId === null ? undefined : { uid, workspaceId };
  return {
    reconcile: needsReconcile(before, report) ? owned : undefined,
    started: report.state === 'ready' && !wasReady ? { totalMs: ageMs, stages: report.stages ?? {} } : undefined,
    freedMb: isGone ? reservedMb : 0,
    isPoolShort: pool !== null && (isGone || report.state === 'failed') && before.state !== report.state,
  };
}

/**
 * While an instance starts, only a message for the user matters, and the end of the start. Sleeping and waking do not
 * matter for reconcile; an expired idle timeout does.
 */
function needsReconcile({ state, message, wasExpired }: PreviousState, report: InstanceReport): boolean {
  const isStarting = (each: string): boolean => ['placed', 'pulling', 'starting'].includes(each);
  if (report.isExpired === true && !wasExpired) return true;
  if (isStarting(state) && isStarting(report.state)) return report.message !== undefined;
  return state !== report.state || message !== (report.message ?? null);
}
