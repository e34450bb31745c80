// Jobs and executions of a running fleet, started and watched as a user does.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { Fleet } from '../../engines/fleet/fleet.ts';
import type { Answer, Client } from './client.ts';

export interface JobRuntime {
  readonly image?: string;
  readonly generation?: 'mk2' | 'mk3';
  readonly memory?: number;
  readonly timeout?: number;
  readonly maxRetries?: number;
  readonly maxConcurrentTasks?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly volumes?: readonly object[];
}

/** The image of the job has to run the shell text in its variable SCRIPT. */
export async function makeJob(
  client: Client,
  name: string,
  { script, env = {}, volumes = [], ...runtime }: JobRuntime & { readonly script: string },
): Promise<void> {
  const envs = Object.entries({ SCRIPT: script, ...env }).map(([variable, value]) => ({ name: variable, value }));
  const spec = { runtime: { memory: 128, ...runtime, envs }, volumes };
  const made = await client.post('/jobs', { metadata: { name }, spec });
  expect([made.status, made.status === 200 || made.text]).toEqual([200, true]);
}

/** Returns the id of the execution. */
export async function startExecution(client: Client, job: string, body: object = {}): Promise<string> {
  const started = await client.post(`/jobs/${job}/executions`, body);
  expect([started.status, started.status === 200 || started.text]).toEqual([200, true]);
  return started.body.executionId;
}

export const finalStatuses: readonly string[] = ['succeeded', 'failed', 'cancelled', 'timeout'];

/** Waits for the end of an execution. In every read on the way the counts have to fit into the total. */
export async function ended(client: Client, job: string, id: string, timeoutMs = 220_000): Promise<Answer['body']> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { status, body } = await client.get(`/jobs/${job}/executions/${id}`);
    expect(status).toBe(200);
    const { success, failure, cancelled, running, total } = body.stats;
    expect(success + failure + cancelled + running).toBeLessThanOrEqual(total);
    if (finalStatuses.includes(body.status)) return body;
    if (Date.now() > deadline) throw new Error(`execution ${id} of ${job} has not ended: ${JSON.stringify(body)}`);
    await sleep(200);
  }
}

export const taskReasons = (execution: Answer['body']): string[] =>
  execution.tasks.map((task: Answer['body']) => task.conditions[0].reason);

/** All attempts of a job's tasks, oldest first. */
export const attemptsOf = ({ database }: Pick<Fleet, 'database'>, job: string) =>
  database
    .selectFrom('instances')
    .innerJoin('resources', 'resources.uid', 'instances.resource_uid')
    .select(['instances.id', 'task_index', 'attempt', 'result', 'settled_at'])
    .select(sql<string>`instances.spec ->> 'isolation'`.as('isolation'))
    .select(sql<number>`(instances.spec ->> 'memoryMb')::int`.as('memoryMb'))
    .where('resources.name', '=', job)
    .where('execution_id', 'is not', null)
    .orderBy('instances.created_at')
    .execute();
