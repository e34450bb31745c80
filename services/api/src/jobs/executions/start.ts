// Starts an execution: inserts its row, its tasks and its fixed settings, enqueues `dispatch`, and takes the counters
// last. The execution is `queued` until `dispatch` finds a runner for its first task.
import { createHash } from 'node:crypto';
import { type CreateJobExecutionRequest, requestErrors } from '@berth/contract';
import {
  addToCount,
  allowLongStatements,
  type DatabaseTransaction,
  enqueue,
  type JsonObject,
  liveResource,
  nilUuid,
  outboxKeys,
  uuidv7,
} from '@berth/database';
import { seal } from '@berth/identity';
import { type FixedSpec, type JobSettings, jobSettings } from '@berth/jobs';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { WriteCall } from '../../http/call.ts';
import { addEvent } from '../../resources/events.ts';
import { requireRoom, reserve } from '../../resources/quota.ts';
import { type ResourceRow, resourceColumns } from '../../resources/record.ts';
import { checkVolumes } from '../check-volumes.ts';
import { executionErrors } from './errors.ts';
import { loadRevision } from './load-revision.ts';
import type { JobRevision } from './pick-revision.ts';
import { requireCapacity } from './require-capacity.ts';

type StartCall = Omit<WriteCall, 'operation' | 'params' | 'query' | 'body'>;
type Request = z.output<typeof CreateJobExecutionRequest>;

export async function startExecution(
  call: StartCall,
  jobName: string,
  request: Request,
  random: () => number = Math.random,
): Promise<unknown> {
  const { tx, workspace } = call;
  const job = await lockJob(tx, workspace.id, jobName);
  const messageId = request.id ?? uuidv7();
  const id = executionIdOf(job.uid, messageId);
  const known = request.id === undefined ? undefined : await startedBefore(tx, id);
  if (known !== undefined) return output(call, job, known);
  const revision = await loadRevision(tx, job, random);
  const settings = admit(job, revision, request);
  const memoryMb = request.memory ?? settings.memoryMb;
  if (request.allowQueue === false) await requireCapacity(call, revision.spec, memoryMb);
  const tasks = request.tasks === undefined || request.tasks.length === 0 ? [{}] : request.tasks;
  const externalId = request.executionId ?? uuidv7();
  const fixed = await fixedSpec(call, id, settings, request);
  const spec = JSON.stringify({ ...fixed, revision: revision.id, job: revision.spec });
  const inputs = JSON.stringify(tasks);
  const bytes = storedBytes(spec, inputs, tasks.length);
  await requireRoom(call, 'execution_bytes', bytes);
  await allowLongStatements(tx);
  const inserted = await tx
    .insertInto('executions')
    .values({
      id,
      workspace_id: workspace.id,
      job_uid: job.uid,
      external_id: externalId,
      message_id: messageId,
      status: 'queued',
      spec,
      task_count: tasks.length,
      parallelism: settings.parallelism,
      memory_mb: memoryMb,
      bytes,
      created_by: call.principal.subject,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return answerRace(call, job, id, externalId);
  await insertTasks(tx, id, inputs);
  await addEvent(tx, id, { type: 'execution', status: 'queued', message: 'Queued.' });
  await enqueue(tx, { topic: 'dispatch', key: outboxKeys.dispatch, trace: call.trace });
  call.afterCommit(() => call.dependencies.notifyOutbox());
  call.target(`job/${job.name}/execution/${externalId}`);
  call.beforeCommit(async () => {
    await reserve(call, 'execution_bytes', bytes);
    await addToCount(tx, { workspaceId: workspace.id, kind: 'execution', parentUid: job.uid }, 1);
  });
  return output(call, job, { externalId, messageId, tasks });
}

/**
 * Prevents the deletion of the job during the transaction; a key-share lock, so that starts of the same job do not
 * block each other.
 */
async function lockJob(tx: DatabaseTransaction, workspaceId: string, name: string): Promise<ResourceRow> {
  const job = await tx
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'job')
    .where('parent_uid', '=', nilUuid)
    .where('name', '=', name)
    .where(liveResource())
    .forKeyShare()
    .executeTakeFirst();
  if (job === undefined) throw requestErrors.not_found();
  return job;
}

/**
 * The id is derived from the job and the message (a UUID of version 8), so the primary key prevents one message from
 * starting two executions, however many servers receive it at once.
 */
function executionIdOf(jobUid: string, messageId: string): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify(['execution', jobUid, messageId]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function admit(job: ResourceRow, { spec }: JobRevision, { memory }: Request): JobSettings {
  if (!jobSettings(job.spec).enabled) throw executionErrors.job_disabled({ job: job.name });
  const settings = jobSettings(spec);
  if (memory !== undefined && memory > settings.memoryMb)
    throw executionErrors.memory_above_job({ job: job.name, asked: memory, limit: settings.memoryMb });
  checkVolumes(spec, memory ?? settings.memoryMb);
  return settings;
}

async function fixedSpec(call: StartCall, id: string, settings: JobSettings, request: Request): Promise<FixedSpec> {
  const env = { ...request.envOverride, ...request.env };
  const { parallelism, timeoutSeconds, maxRetries } = settings;
  return {
    parallelism,
    timeoutSeconds,
    maxRetries,
    ...(request.memory === undefined ? {} : { memoryOverrideMb: request.memory }),
    ...(Object.keys(env).length === 0 ? {} : { env: await sealEnv(call, id, env) }),
  };
}

async function sealEnv({ tx, workspace, dependencies }: StartCall, id: string, env: Readonly<Record<string, string>>) {
  const key = await dependencies.keyring.workspaceKey(tx, workspace.id);
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, { $sealed: seal(key, value, `execution ${id}`) }]),
  );
}

/** Fixed cost of a row, counted in addition to its content. */
const rowBytes = { execution: 1_024, task: 128 };

const storedBytes = (spec: string, inputs: string, tasks: number): number =>
  Buffer.byteLength(spec) + Buffer.byteLength(inputs) + rowBytes.execution + tasks * rowBytes.task;

/** Uses one statement for any number of tasks. */
async function insertTasks(tx: DatabaseTransaction, executionId: string, inputs: string): Promise<void> {
  await sql`
    insert into tasks (execution_id, index, input)
    select ${executionId}, place - 1, input
    from jsonb_array_elements(${inputs}::jsonb) with ordinality as given(input, place)`.execute(tx);
}

interface Started {
  readonly externalId: string;
  readonly messageId: string;
  readonly tasks: readonly JsonObject[];
}

async function startedBefore(tx: DatabaseTransaction, id: string): Promise<Started | undefined> {
  const row = await tx
    .selectFrom('executions')
    .select(['external_id', 'message_id'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const tasks = await tx.selectFrom('tasks').select('input').where('execution_id', '=', id).orderBy('index').execute();
  return { externalId: row.external_id, messageId: row.message_id ?? '', tasks: tasks.map(({ input }) => input) };
}

/**
 * A concurrent request won the insert: with the same message it started this same execution, otherwise it took the
 * execution's name.
 */
async function answerRace(call: StartCall, job: ResourceRow, id: string, externalId: string): Promise<unknown> {
  const known = await startedBefore(call.tx, id);
  if (known === undefined) throw executionErrors.execution_exists({ job: job.name, id: externalId });
  return output(call, job, known);
}

const output = ({ workspace }: StartCall, job: ResourceRow, { externalId, messageId, tasks }: Started) => ({
  executionId: externalId,
  id: messageId,
  jobId: job.name,
  tasks,
  workspaceId: workspace.name,
});
