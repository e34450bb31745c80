// Job: parallel tasks with retries and timeouts. Specification: Batch job.
import { z } from 'zod';
import { knownKeys } from '../schema/known-keys.ts';
import { Repositories } from '../schema/repositories.ts';
import { AbsolutePath } from '../schema/text.ts';
import { Ports, triggersOf } from '../schema/workload.ts';
import { defineKind, permissions, readyFor } from './kind.ts';
import { workloadKind, workloadRuntime, workloadSpec } from './workload.ts';

const JobRuntime = knownKeys({
  diskPercent: z.int().min(10).max(95).optional(),
  envs: workloadRuntime.envs,
  generation: workloadRuntime.generation,
  image: workloadRuntime.image,
  maxConcurrentTasks: z.int().min(1).max(100_000).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  memory: workloadRuntime.memory,
  ports: Ports.optional(),
  timeout: z.int().min(1).max(86_400).optional().describe('Seconds per task.'),
});

const JobVolume = z.object({
  mountPath: AbsolutePath,
  name: z.string().min(1).max(63),
  readOnly: z.boolean().optional(),
  sizeMb: z.int().min(1).max(262_144),
  type: z.enum(['ephemeral']),
});

export const job = defineKind({
  ...workloadKind,
  kind: 'job',
  title: 'Job',
  plural: 'Jobs',
  tag: 'Jobs',
  path: '/jobs',
  param: 'jobId',
  spec: z.object({
    enabled: workloadSpec.enabled,
    githubRunner: z.object({ repositories: Repositories.optional() }).optional(),
    policies: workloadSpec.policies,
    region: workloadSpec.region,
    revision: workloadSpec.revision,
    runtime: JobRuntime.optional(),
    triggers: triggersOf('job').optional(),
    volumes: z.array(JobVolume).max(100).optional(),
  }),
  specDefaults: { enabled: true },
  permissions: {
    ...permissions({
      list: 'jobs:list',
      create: 'jobs:create',
      get: 'jobs:get',
      update: 'jobs:update',
      delete: 'jobs:delete',
    }),
    revisions: { role: 'member', scopes: ['jobs:list'] },
  },
  quota: 'jobs',
  arrival: readyFor('Executions run its image.'),
});
