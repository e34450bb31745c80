// Job: parallel tasks with retries and timeouts. Specification: Batch job.
import { z } from 'zod';
import { defineKind, envSecrets, permissions, storedOnly } from '../kind.ts';
import { knownKeys } from '../schema/known-keys.ts';
import { Repositories } from '../schema/repositories.ts';
import { Metadata, MetadataInput, RevisionConfiguration, Status, statuses } from '../schema/shared.ts';
import { AbsolutePath, Count, ImageReference, MemoryMb, RegionName, ResourceNames } from '../schema/text.ts';
import { callbackSecrets, Envs, Generation, Ports, Triggers, triggersShown } from '../schema/workload.ts';

const JobRuntime = knownKeys({
  diskPercent: z.int().min(10).max(95).optional(),
  envs: Envs.optional(),
  generation: Generation.optional(),
  image: ImageReference.optional(),
  maxConcurrentTasks: z.int().min(1).max(100_000).optional(),
  maxRetries: z.int().min(0).max(10).optional(),
  memory: MemoryMb.optional(),
  ports: Ports.optional(),
  timeout: z.int().min(1).max(86_400).optional().describe('Seconds per task.'),
});

const JobVolume = z.object({
  mountPath: AbsolutePath,
  name: z.string().min(1).max(63),
  readOnly: z.boolean().optional(),
  sizeMb: Count,
  type: z.enum(['ephemeral']),
});

export const job = defineKind({
  kind: 'job',
  title: 'Job',
  plural: 'Jobs',
  tag: 'Jobs',
  path: '/jobs',
  param: 'jobId',
  metadataInput: MetadataInput,
  metadata: Metadata,
  spec: z.object({
    enabled: z.boolean().optional(),
    githubRunner: z.object({ repositories: Repositories.optional() }).optional(),
    policies: ResourceNames.optional(),
    region: RegionName.optional(),
    revision: RevisionConfiguration.optional(),
    runtime: JobRuntime.optional(),
    triggers: Triggers.optional(),
    volumes: z.array(JobVolume).max(100).optional(),
  }),
  specShown: triggersShown,
  specDefaults: { enabled: true },
  status: Status,
  statuses,
  immutable: ['spec.runtime.generation'],
  secrets: [envSecrets('runtime', 'envs'), callbackSecrets],
  listing: { paged: true, filters: ['status'] },
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
  showSecrets: true,
  upload: true,
  revisions: true,
  revealsSecretOnWrite: true,
  quota: 'jobs',
  arrival: storedOnly('Jobs do not run yet: executions stay queued.'),
});
