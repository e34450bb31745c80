// Starts an execution on request: checks the request against the job, stores the execution and answers. The counters come
// last.
import { type CreateJobExecutionRequest, requestErrors, resourceErrors } from '@berth/contract';
import { type DatabaseTransaction, type JsonObject, liveResource, nilUuid, uuidv7 } from '@berth/database';
import { seal } from '@berth/identity';
import { limitOf } from '@berth/instances';
import {
  countExecution,
  executionIdOf,
  type FixedSpec,
  insertExecution,
  type JobRevision,
  type JobSettings,
  jobSettings,
  loadRevision,
  storedExecution,
} from '@berth/jobs';
import type { z } from 'zod';
import type { WriteCall } from '../../http/call.ts';
import { requireRoom } from '../../resources/quota.ts';
import { type ResourceRow, resourceColumns } from '../../resources/record.ts';
import { checkVolumes } from '../check-volumes.ts';
import { executionErrors } from './errors.ts';
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
  const stored = storedExecution(await fixedSpec(call, id, settings, request), revision, tasks);
  await requireRoom(call, 'execution_bytes', stored.bytes);
  const isNew = await insertExecution(tx, {
    ...{ id, messageId, externalId, memoryMb, stored },
    workspaceId: workspace.id,
    jobUid: job.uid,
    parallelism: settings.parallelism,
    createdBy: call.principal.subject,
    message: 'Queued.',
    trace: call.trace,
  });
  if (!isNew) return answerRace(call, job, id, externalId);
  call.afterCommit(() => call.dependencies.notifyOutbox());
  call.target(`job/${job.name}/execution/${externalId}`);
  call.beforeCommit(() => count(call, job, stored.bytes));
  return output(call, job, { externalId, messageId, tasks });
}

async function count({ tx, workspace, dependencies }: StartCall, job: ResourceRow, bytes: number): Promise<void> {
  const { id: workspaceId, account } = workspace;
  const limit = limitOf(account, dependencies.config, 'execution_bytes');
  if (await countExecution(tx, { accountId: account.id, limit, bytes, workspaceId, jobUid: job.uid })) return;
  throw resourceErrors.quota_exceeded({ limit, resourceType: 'execution_bytes' });
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
