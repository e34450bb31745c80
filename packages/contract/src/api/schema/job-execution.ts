// Executions of a job and their tasks. Specification: Job execution; control-plane sheet 2.7.
import { z } from 'zod';
import { EnvOverride } from './env-override.ts';
import { FreeForm } from './shared.ts';
import { MemoryMb, Timestamp } from './text.ts';

const time = Timestamp.optional();
const text = z.string().optional();

export const maxTasks = 100_000;
/**
 * An execution carries its first tasks, and carries them twice (`tasks` and `spec.tasks`); the listing of tasks pages
 * through all of them.
 */
export const inlineTasks = 100;

const Tasks = z.array(FreeForm).max(maxTasks);
const Identifier = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[\w.-]+$/, 'letters, digits, dots, hyphens and underscores');

export const CreateJobExecutionRequest = z
  .object({
    allowQueue: z.boolean().optional(),
    env: EnvOverride.optional(),
    envOverride: EnvOverride.optional().describe('The same as env, which wins where both name a variable.'),
    executionId: Identifier.optional(),
    id: Identifier.optional(),
    jobId: z.string().max(256).optional(),
    memory: MemoryMb.optional(),
    tasks: Tasks.optional().describe('Absent or empty: one task without arguments.'),
    workspaceId: z.string().max(256).optional(),
  })
  .meta({ id: 'CreateJobExecutionRequest' });

export const CreateJobExecutionOutput = z
  .object({
    executionId: z.string(),
    id: z.string(),
    jobId: z.string(),
    tasks: z.array(FreeForm),
    workspaceId: z.string(),
  })
  .meta({ id: 'CreateJobExecutionOutput' });

export const jobExecutionStatuses = [
  'queued',
  'pending',
  'running',
  'cancelling',
  'cancelled',
  'failed',
  'succeeded',
  'timeout',
] as const;

export const jobTaskStatuses = [
  'unspecified',
  'pending',
  'reconciling',
  'failed',
  'succeeded',
  'running',
  'cancelled',
] as const;

export const JobExecutionTask = z
  .object({
    conditions: z
      .array(
        z.object({
          executionReason: text,
          message: text,
          reason: text,
          severity: text,
          state: text,
          type: text,
        }),
      )
      .optional(),
    metadata: z.object({
      name: z.string(),
      createdAt: time,
      scheduledAt: time,
      startedAt: time,
      completedAt: time,
      updatedAt: time,
    }),
    spec: z.object({ maxRetries: z.int().optional(), timeout: z.string().optional() }).optional(),
    status: z.enum(jobTaskStatuses),
  })
  .meta({ id: 'JobExecutionTask' });

export const JobExecution = z
  .object({
    metadata: z.object({
      cluster: text,
      completedAt: time,
      createdAt: time,
      deletedAt: time,
      expectedEndAt: time.describe(
        'Our own addition, while it runs: when it ends if the other tasks take as long as those that have ended.',
      ),
      expiredAt: time,
      id: z.string(),
      job: z.string(),
      startedAt: time,
      tasksPerMinute: z
        .number()
        .optional()
        .describe('Our own addition, while it runs: tasks that ended per minute since the first one started.'),
      updatedAt: time,
      workspace: z.string(),
    }),
    spec: z.object({
      envOverride: z.string().optional().describe('A JSON object as text; secret values are masked.'),
      memoryOverride: z.int().optional(),
      parallelism: z.int().optional(),
      tasks: z.array(JobExecutionTask).optional(),
      timeout: z.int().optional(),
    }),
    stats: z
      .object({
        cancelled: z.int(),
        failure: z.int(),
        retried: z.int(),
        running: z.int(),
        success: z.int(),
        total: z.int(),
      })
      .optional(),
    status: z.enum(jobExecutionStatuses),
    tasks: z
      .array(JobExecutionTask)
      .optional()
      .describe(`The first ${inlineTasks} tasks; none in listings. List the tasks to see all.`),
  })
  .meta({ id: 'JobExecution' });
