// Starts an execution of a trigger, in a transaction that holds the job's row. The counters come last.
import { type DatabaseTransaction, hasQuotaLeft, uuidv7 } from '@berth/database';
import { JobSpec, type LimitSettings, limitOf, volumesFault } from '@berth/instances';
import { executionIdOf } from './execution-id.ts';
import { countExecution, insertExecution } from './insert-execution.ts';
import { jobSettings } from './job-settings.ts';
import type { JobTrigger } from './job-triggers.ts';
import { loadRevision } from './load-revision.ts';
import type { StartableJob } from './lock-job.ts';
import { storedExecution } from './stored-execution.ts';

export interface StartDependencies {
  readonly limits: LimitSettings;
  readonly random: () => number;
}

export interface TriggeredStart {
  readonly job: StartableJob;
  /** With the tasks to start. */
  readonly trigger: JobTrigger;
  /** The same message starts one execution, however often it arrives. */
  readonly messageId: string;
  readonly createdBy: string;
  /** Text of the first event. */
  readonly message: string;
}

/** `known`: the message has its execution already. `refused`: nothing was written. */
export type StartResult =
  | { readonly outcome: 'started' | 'known'; readonly id: string; readonly externalId: string }
  | { readonly outcome: 'refused'; readonly because: 'limit' | 'volumes'; readonly reason: string };

/** A concurrent start took the rest of the limit. The transaction has to end without a commit. */
export class LimitTaken extends Error {
  constructor() {
    super('Another start took the rest of the limit execution_bytes.');
    this.name = 'LimitTaken';
  }
}

const WithVolumes = JobSpec.pick({ volumes: true });

export async function startByTrigger(
  tx: DatabaseTransaction,
  { limits, random }: StartDependencies,
  { job, trigger, messageId, createdBy, message }: TriggeredStart,
): Promise<StartResult> {
  const { account, workspace_id: workspaceId, uid: jobUid } = job;
  const id = executionIdOf(jobUid, messageId);
  const known = await startedBefore(tx, id);
  if (known !== undefined) return known;
  const revision = await loadRevision(tx, job, random);
  const { parallelism, memoryMb, ...settings } = jobSettings(revision.spec);
  const fault = volumesFault(WithVolumes.parse({ volumes: revision.spec.volumes ?? [] }), memoryMb);
  if (fault !== undefined)
    return { outcome: 'refused', because: 'volumes', reason: `its volumes cannot be mounted: ${fault}` };
  const { maxRetries = settings.maxRetries, timeoutSeconds = settings.timeoutSeconds } = trigger;
  const stored = storedExecution({ parallelism, maxRetries, timeoutSeconds }, revision, trigger.tasks);
  const limit = limitOf(account, limits, 'execution_bytes');
  const reservation = { accountId: account.id, resourceType: 'execution_bytes', limit, amount: stored.bytes };
  if (!(await hasQuotaLeft(tx, reservation))) return { outcome: 'refused', because: 'limit', reason: full(limit) };
  const externalId = uuidv7();
  const isNew = await insertExecution(tx, {
    ...{ id, externalId, messageId, workspaceId, jobUid, parallelism, memoryMb, stored, createdBy, message },
    trigger: trigger.origin,
  });
  if (!isNew) return (await startedBefore(tx, id)) ?? unexpected(id);
  const counted = { limit, workspaceId, jobUid, accountId: account.id, bytes: stored.bytes };
  if (!(await countExecution(tx, counted))) throw new LimitTaken();
  return { outcome: 'started', id, externalId };
}

async function startedBefore(tx: DatabaseTransaction, id: string): Promise<StartResult | undefined> {
  const row = await tx.selectFrom('executions').select('external_id').where('id', '=', id).executeTakeFirst();
  return row && { outcome: 'known', id, externalId: row.external_id };
}

const full = (limit: number): string =>
  `the account has reached its limit of ${limit} execution_bytes. Executions that have expired make room; ask the operator for a higher limit.`;

function unexpected(id: string): never {
  throw new Error(`Execution ${id} could neither be inserted nor found.`);
}
