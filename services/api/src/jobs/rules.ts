// Job. Specification: Batch job.
import { isDeepStrictEqual } from 'node:util';
import { job } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import { jobSettings, writeCronTriggers } from '@berth/jobs';
import type { ResourceRow } from '../resources/record.ts';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkGeneration } from '../rules/isolation.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requirePolicies } from '../rules/references.ts';
import { checkRegion, withoutAuto } from '../rules/regions.ts';
import { section } from '../rules/spec-fields.ts';
import { newCallbackSecret } from '../workloads/callback-secret.ts';
import { triggerPathsOf } from '../workloads/trigger-paths.ts';
import { completeTriggers, showNewSecrets } from '../workloads/triggers.ts';
import { checkVolumes } from './check-volumes.ts';
import { cancelAll } from './executions/cancel-all.ts';

const paths = triggerPathsOf('job');

export const jobRules: KindRules = {
  kind: job,
  // Requests to the paths of its triggers.
  served: true,
  countedBelow: ['execution'],
  normalize: (spec) => paths.plain(withoutAuto(spec)),
  beforeCreate: (context, draft) => complete(context, draft),
  afterCreate: writeTriggers,
  beforeReplace: complete,
  afterReplace: writeTriggers,
  beforeDelete: ({ tx }, { uid }) => cancelAll(tx, uid),
  render: {
    one: (rendered, { name }, { dependencies, workspace }) => ({
      ...rendered,
      metadata: { ...rendered.metadata, url: `${dependencies.apiUrl}/${workspace.name}/jobs/${name}/executions` },
    }),
    onWrite: showNewSecrets,
  },
};

async function complete(context: RuleContext, draft: Draft, previous?: ResourceRow): Promise<void> {
  checkRegion(context, draft);
  const { generation, memory, image } = section(draft.spec, 'runtime');
  checkGeneration(context, 'workload', generation);
  checkMemory(context, memory);
  if (previous === undefined || changesVolumes(draft.spec, previous.spec))
    checkVolumes(draft.spec, jobSettings(draft.spec).memoryMb);
  await checkImage(context, 'spec.runtime.image', image);
  await requirePolicies(context, draft.spec, previous?.spec);
  draft.spec = completeTriggers(draft.spec, previous?.spec ?? {}, newCallbackSecret);
  draft.events.push(...paths.idleWarnings(draft.spec, previous?.spec));
}

async function writeTriggers({ tx }: RuleContext, row: ResourceRow): Promise<ResourceRow> {
  await paths.store(tx, row);
  await writeCronTriggers(tx, { uid: row.uid, workspaceId: row.workspace_id, spec: row.spec });
  return row;
}

/** Volumes that an earlier version stored unchecked do not block other changes; executions are refused with the reason. */
const changesVolumes = (spec: JsonObject, previous: JsonObject): boolean =>
  !isDeepStrictEqual(spec.volumes, previous.volumes) || jobSettings(spec).memoryMb !== jobSettings(previous).memoryMb;
