// Agent. Control-plane sheet 2.4.
import { agent } from '@berth/contract';
import type { KindRules } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { claimHostLabel, moveHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkGeneration } from '../rules/isolation.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requirePolicies } from '../rules/references.ts';
import { checkRegion, regionNames, withoutAuto } from '../rules/regions.ts';
import { section, textOf } from '../rules/spec-fields.ts';
import { attachVolumes, detachVolumes, persistentVolumes } from '../rules/volume-attachments.ts';
import { newCallbackSecret } from './callback-secret.ts';
import { triggerPathsOf } from './trigger-paths.ts';
import { completeTriggers, showNewSecrets } from './triggers.ts';

type Check = NonNullable<KindRules['beforeReplace']>;
type Context = Parameters<Check>[0];
type Draft = Parameters<Check>[1];

const paths = triggerPathsOf('agent');

export const agentRules: KindRules = {
  kind: agent,
  served: true,
  normalize: (spec) => paths.plain(withoutAuto(spec)),
  async beforeCreate(context, draft) {
    await check(context, draft);
    draft.spec = completeTriggers(draft.spec, {}, newCallbackSecret);
  },
  async afterCreate(context, row) {
    await attachVolumes(
      context,
      { kind: 'agent', name: row.name },
      textOf(row.spec.region) ?? '',
      persistentVolumes(row.spec),
    );
    await paths.store(context.tx, row);
    return claimHostLabel(context, 'agt', row);
  },
  async beforeReplace(context, draft, previous) {
    await check(context, draft, previous.spec);
    draft.spec = completeTriggers(draft.spec, previous.spec, newCallbackSecret);
    await moveHostLabel(context, 'agt', draft, previous);
    const workload = { kind: 'agent', name: previous.name } as const;
    const before = persistentVolumes(previous.spec);
    const after = persistentVolumes(draft.spec);
    await detachVolumes(
      context,
      workload,
      before.filter((name) => !after.includes(name)),
    );
    const region = textOf(draft.spec.region) ?? '';
    const moved = region !== previous.spec.region;
    await attachVolumes(context, workload, region, moved ? after : after.filter((name) => !before.includes(name)));
  },
  async afterReplace({ tx }, row) {
    await paths.store(tx, row);
    return row;
  },
  async beforeDelete(context, row) {
    await paths.free(context.tx, row);
    await detachVolumes(context, { kind: 'agent', name: row.name }, persistentVolumes(row.spec));
  },
  render: { one: workloadUrl, onWrite: showNewSecrets },
};

async function check(context: Context, draft: Draft, previous?: Draft['spec']): Promise<void> {
  const region = checkRegion(context, draft);
  checkMemory(context, section(draft.spec, 'runtime').memory);
  await checkImage(context, 'spec.runtime.image', section(draft.spec, 'runtime').image);
  checkGeneration(context, 'workload', section(draft.spec, 'runtime').generation);
  if (region === undefined && persistentVolumes(draft.spec).length > 0) {
    const regions = regionNames(context.dependencies.config);
    throw kindErrors.region_required({ field: 'spec.region', because: 'spec.volumes', regions });
  }
  await requirePolicies(context, draft.spec, previous);
  draft.events.push(...paths.idleWarnings(draft.spec, previous));
}
