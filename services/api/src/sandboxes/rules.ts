// Sandbox. Control-plane sheet 1.8, 2.8, 3.3 to 3.5.

import { randomBytes } from 'node:crypto';
import { sandbox } from '@berth/contract';
import { type JsonObject, nilUuid } from '@berth/database';
import { limitOf, SandboxSpec, sandboxFault } from '@berth/instances';
import type { ReadCall } from '../http/call.ts';
import { defaultVpc } from '../network/vpc-rules.ts';
import { type ResourceRow, resourceColumns } from '../resources/record.ts';
import type { Draft, KindRules, RuleContext } from '../resources/rules.ts';
import { stillShown } from '../resources/terminated.ts';
import { kindErrors } from '../rules/errors.ts';
import { claimHostLabel, workloadUrl } from '../rules/host-labels.ts';
import { checkImage } from '../rules/image-reference.ts';
import { checkGeneration } from '../rules/isolation.ts';
import { checkMemory } from '../rules/memory-limit.ts';
import { requireRows } from '../rules/references.ts';
import { resolveRegion, withoutAuto } from '../rules/regions.ts';
import { section, textOf, without } from '../rules/spec-fields.ts';
import { attachVolumes, persistentVolumes } from '../rules/volume-attachments.ts';
import { beginSandbox } from './begin.ts';
import { announceChange, applyChange } from './change.ts';
import { endSandbox } from './end.ts';
import { generateSandboxName } from './generated-name.ts';
import { keepHidden } from './hidden-fields.ts';
import { resolveNameConflict } from './name-conflict.ts';
import { showInstances } from './show-instances.ts';

export const sandboxRules: KindRules = {
  kind: sandbox,
  served: true,
  normalize: withoutAuto,
  onNameTaken: resolveNameConflict,
  async beforeCreate(context, draft) {
    if (draft.name === '') draft.name = generateSandboxName(randomBytes(8));
    draft.state = { boot: 1 };
    const region = await resolveRegion(context, draft);
    await completeRuntime(context, draft);
    // Checked on create only, because the generation is immutable: an older sandbox can still be changed after the
    // operator forbids runc, and runs under gVisor from then on.
    checkGeneration(context, 'sandbox', section(draft.spec, 'runtime').generation);
    await requireNetwork(context, draft.spec, region);
  },
  async afterCreate(context, row, draft) {
    const region = textOf(row.spec.region) ?? '';
    await attachVolumes(context, { kind: 'sandbox', name: row.name }, region, persistentVolumes(row.spec));
    return beginSandbox(context, await claimHostLabel(context, 'sbx', row), draft);
  },
  async beforeReplace(context, draft, previous) {
    draft.spec = keepHidden(draft.spec, previous.spec);
    keepExtraArgs(draft, previous);
    await completeRuntime(context, draft);
    await announceChange(context, draft, previous);
  },
  afterReplace: applyChange,
  end: {
    terminate: endSandbox,
    find: async (call, name) => (await findEnded(call, name, 'still live')) ?? findEnded(call, name, 'terminated'),
  },
  render: { one: workloadUrl, related: showInstances },
};

/**
 * Newest sandbox of that name that is over and still shown. Live and terminated rows are queried separately, because
 * each has its own index.
 */
function findEnded(
  { database, workspace }: ReadCall,
  name: string,
  written: 'still live' | 'terminated',
): Promise<ResourceRow | undefined> {
  return database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', 'sandbox')
    .where('parent_uid', '=', nilUuid)
    .where('name', '=', name)
    .where('terminated_at', written === 'terminated' ? 'is not' : 'is', null)
    .where(stillShown)
    .orderBy('terminated_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * An empty string removes a lifetime rule; for an account with enforced lifetimes the account's own rule takes its
 * place.
 */
async function completeRuntime(context: RuleContext, draft: Draft): Promise<void> {
  const { account } = context.workspace;
  const limit = (name: string) => limitOf(account, context.dependencies.config, name);
  const sent = section(draft.spec, 'runtime');
  const cleared = ['ttl', 'expires'].filter((rule) => sent[rule] === '');
  const runtime = without(sent, ...cleared);
  checkMemory(context, runtime.memory);
  await checkImage(context, 'spec.runtime.image', runtime.image);
  if (sandboxFault(SandboxSpec.parse({ runtime }), context.dependencies.placement) !== undefined)
    throw kindErrors.image_required();
  if (limit('sandbox_enforced_ttl') > 0 && limit('sandbox_ttl') >= 1)
    runtime.ttl ??= `${Math.floor(limit('sandbox_ttl'))}d`;
  if (Object.keys(runtime).length > 0 || draft.spec.runtime !== undefined) draft.spec = { ...draft.spec, runtime };
}

/** Kernel arguments are fixed when the sandbox starts; values sent later are ignored. */
function keepExtraArgs(draft: Draft, previous: ResourceRow): void {
  if (draft.spec.runtime === undefined) return;
  const { extraArgs } = section(previous.spec, 'runtime');
  const runtime = without(section(draft.spec, 'runtime'), 'extraArgs');
  draft.spec = { ...draft.spec, runtime: extraArgs === undefined ? runtime : { ...runtime, extraArgs } };
}

/** The default VPC always exists, so sandboxes in it skip the lookup. */
async function requireNetwork(context: RuleContext, spec: JsonObject, region: string): Promise<void> {
  const vpcName = textOf(spec.vpc) ?? defaultVpc;
  const gatewayName = textOf(section(spec, 'network', 'egress').gateway);
  if (vpcName === defaultVpc && gatewayName === undefined) return;
  const [vpc] = await requireRows(context, { kind: 'vpc', field: 'spec.vpc', names: [vpcName] });
  if (vpc === undefined || gatewayName === undefined) return;
  const field = 'spec.network.egress.gateway';
  const kind = 'egressgateway';
  const [gateway] = await requireRows(context, { kind, field, names: [gatewayName], parentUid: vpc.uid });
  const there = textOf(gateway?.spec.region) ?? '';
  if (there !== region)
    throw kindErrors.other_region({ field, kind: 'egress gateway', name: gatewayName, there, here: region });
}
