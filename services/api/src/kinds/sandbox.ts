// Sandbox. Control-plane sheet 1.8, 2.8, 3.3 to 3.5.
import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@berth/database';
import { limitOf } from '../accounts/limits.ts';
import { findLive, lockLive, type ResourceRow, resourceColumns } from '../resources/record.ts';
import type { Rendered, View } from '../resources/render.ts';
import type { Draft, KindRules, RuleContext, Standing } from '../resources/rules.ts';
import { stillShown } from '../resources/terminated.ts';
import { kindErrors } from './errors.ts';
import { claimHostLabel, releaseHostLabel, workloadUrl } from './host-labels.ts';
import { checkImage } from './image-reference.ts';
import { checkMemory } from './memory-limit.ts';
import { requireRows } from './references.ts';
import { settleRegion, withoutAuto } from './regions.ts';
import { keepHidden } from './sandbox-hidden.ts';
import { expiresInSeconds } from './sandbox-lifetime.ts';
import { sandboxName } from './sandbox-name.ts';
import { numberOf, section, textOf, without } from './spec-fields.ts';
import { attachVolumes, detachVolumes, persistentVolumes } from './volume-attachments.ts';
import { defaultVpc } from './vpc.ts';

export const sandboxRules: KindRules = {
  sent: withoutAuto,
  standing,
  async create(context, draft) {
    if (draft.name === '') draft.name = sandboxName(randomBytes(8));
    const region = await settleRegion(context, draft);
    settleRuntime(context, draft);
    await requireNetwork(context, draft.spec, region);
  },
  async created(context, row) {
    const region = textOf(row.spec.region) ?? '';
    await attachVolumes(context, { kind: 'sandbox', name: row.name }, region, persistentVolumes(row.spec));
    return claimHostLabel(context, 'sbx', row);
  },
  async replace(context, draft, previous) {
    draft.spec = keepHidden(draft.spec, previous.spec);
    keepExtraArgs(draft, previous);
    settleRuntime(context, draft);
    if (draft.spec.enabled !== previous.spec.enabled) announceSwitch(context, draft);
  },
  async delete(context, row) {
    await detachVolumes(context, { kind: 'sandbox', name: row.name }, persistentVolumes(row.spec));
    await releaseHostLabel(context.tx, row);
  },
  finish: (rendered, row, view) => showLife(workloadUrl(rendered, row, view), row, view),
  keepsTerminated: true,
  findTerminated: ({ database, workspace }, name) =>
    database
      .selectFrom('resources')
      .select(resourceColumns)
      .where('workspace_id', '=', workspace.id)
      .where('kind', '=', 'sandbox')
      .where('name', '=', name)
      .where('terminated_at', 'is not', null)
      .where(stillShown)
      .orderBy('terminated_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
};

/** A failed record makes room for a new one; a live one is the answer when the caller said so. */
async function standing({ tx, workspace, query }: RuleContext, name: string): Promise<Standing | undefined> {
  if (name === '') return undefined;
  const place = { workspaceId: workspace.id, kind: 'sandbox' };
  const row = await findLive(tx, place, name);
  if (row?.status === 'FAILED') {
    const held = await lockLive(tx, place, name);
    return held?.status === 'FAILED' ? { row: held, verdict: 'replace' } : undefined;
  }
  if (row === undefined || row.status === 'DELETING' || query.createIfNotExist !== true) return undefined;
  return { row, verdict: 'answer' };
}

/** An empty text takes a lifetime rule away; an account with enforced lifetimes puts its own in place. */
function settleRuntime(context: RuleContext, draft: Draft): void {
  const { account } = context.workspace;
  const limit = (name: string) => limitOf(account, context.dependencies.config, name);
  const sent = section(draft.spec, 'runtime');
  const cleared = ['ttl', 'expires'].filter((rule) => sent[rule] === '');
  const runtime = without(sent, ...cleared);
  checkMemory(context, runtime.memory);
  checkImage(context, 'spec.runtime.image', runtime.image);
  if (limit('sandbox_enforced_ttl') > 0 && limit('sandbox_ttl') >= 1)
    runtime.ttl ??= `${Math.floor(limit('sandbox_ttl'))}d`;
  if (Object.keys(runtime).length > 0 || draft.spec.runtime !== undefined) draft.spec = { ...draft.spec, runtime };
}

/** Switches of the kernel are set when it starts; whatever is sent later is ignored. */
function keepExtraArgs(draft: Draft, previous: ResourceRow): void {
  if (draft.spec.runtime === undefined) return;
  const { extraArgs } = section(previous.spec, 'runtime');
  const runtime = without(section(draft.spec, 'runtime'), 'extraArgs');
  draft.spec = { ...draft.spec, runtime: extraArgs === undefined ? runtime : { ...runtime, extraArgs } };
}

function announceSwitch({ kind }: RuleContext, draft: Draft): void {
  const arrival = kind.arrival?.(draft.spec);
  if (arrival === undefined) return;
  draft.status = arrival.status;
  draft.events.push(arrival);
}

/** The default VPC is always there, so the many sandboxes in it need not ask. */
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

/** What is only true of a sandbox that runs, or that a rule will end, is left out otherwise. */
function showLife(rendered: Rendered, row: ResourceRow, { workspace, dependencies }: View): Rendered {
  const { state: _stored, ...shown } = rendered;
  const awake = textOf(row.state?.awake);
  const lifetime = {
    createdAtMs: row.created_at.getTime(),
    lastUsedAtMs: numberOf(row.state?.lastUsedAtMs),
    longestDays: limitOf(workspace.account, dependencies.config, 'sandbox_ttl'),
  };
  const expiresIn = row.terminated_at === null ? expiresInSeconds(row.spec, lifetime, dependencies.now()) : undefined;
  return {
    ...shown,
    ...(awake === undefined ? {} : { state: awake }),
    ...(expiresIn === undefined ? {} : { expiresIn }),
  };
}
