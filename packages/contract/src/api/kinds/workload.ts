// Declarations that agents, functions and jobs share. A kind names the fields of its `spec` one by one, because their
// order is the order in the OpenAPI document.
import { z } from 'zod';
import { Metadata, MetadataInput, RevisionConfiguration, Status, statuses } from '../schema/shared.ts';
import { ImageReference, MemoryMb, RegionName, ResourceNames } from '../schema/text.ts';
import { callbackSecrets, Envs, Generation, triggersShown } from '../schema/workload.ts';
import { envSecrets } from './kind.ts';

export const workloadSpec = {
  enabled: z.boolean().optional(),
  policies: ResourceNames.optional(),
  region: RegionName.optional(),
  revision: RevisionConfiguration.optional(),
};

export const workloadRuntime = {
  envs: Envs.optional(),
  generation: Generation.optional(),
  image: ImageReference.optional(),
  memory: MemoryMb.optional(),
};

export const workloadKind = {
  metadataInput: MetadataInput,
  metadata: Metadata,
  specShown: triggersShown,
  status: Status,
  statuses,
  immutable: ['spec.runtime.generation'],
  secrets: [envSecrets('runtime', 'envs'), callbackSecrets],
  listing: { paged: true, filters: ['status'] },
  showSecrets: true,
  upload: true,
  revisions: true,
  revealsSecretOnWrite: true,
} as const;
