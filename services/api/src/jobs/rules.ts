// Job. Specification: Batch job.
import { job } from '@berth/contract';
import { allowLongStatements } from '@berth/database';
import type { ResourceRow } from '../resources/record.ts';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requirePolicies } from '../rules/references.ts';
import { checkRegion, withoutAuto } from '../rules/regions.ts';
import { section } from '../rules/spec-fields.ts';
import { newCallbackSecret } from '../workloads/callback-secret.ts';
import { completeTriggers, showNewSecrets } from '../workloads/triggers.ts';

export const jobRules: KindRules = {
  kind: job,
  countedBelow: ['execution'],
  normalize: withoutAuto,
  beforeCreate: (context, draft) => complete(context, draft),
  beforeReplace: complete,
  // Deleting a job deletes its executions, and each may hold 100 000 tasks.
  beforeDelete: ({ tx }) => allowLongStatements(tx),
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
  checkMemory(context, section(draft.spec, 'runtime').memory);
  await checkImage(context, 'spec.runtime.image', section(draft.spec, 'runtime').image);
  await requirePolicies(context, draft.spec, previous?.spec);
  draft.spec = completeTriggers(draft.spec, previous?.spec ?? {}, newCallbackSecret);
}
