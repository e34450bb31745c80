// Changes a resource of any kind. Sections that were sent replace the stored ones; a change of metadata alone affects
// neither status nor events.
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Kind, type ResourceBody, requestErrors, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { createResource } from './create.ts';
import { enqueueChange } from './enqueue-change.ts';
import { loadEvents } from './events.ts';
import { refuseIdle } from './field-effects.ts';
import { hasLiveInstances } from './live-instances.ts';
import { present } from './present.ts';
import { lockLive, type ResourceRow, resourceColumns } from './record.ts';
import type { Rendered } from './render.ts';
import { deployable, newRevisionId, requireKnownRevisions, trafficToNew } from './revisions.ts';
import { ruleContext } from './rule-context.ts';
import type { Draft, KindRules, RuleContext } from './rules.ts';
import { searchText } from './search-text.ts';
import { holdsSecrets, restoreMasked, sealSecrets } from './secrets.ts';
import { keepImmutable, replaceSections } from './spec-change.ts';
import { writeArrival } from './write-arrival.ts';

export async function replaceResource(
  call: WriteCall,
  rules: KindRules,
  name: string,
  body: ResourceBody,
): Promise<Rendered> {
  const { kind } = rules;
  if (body.metadata.name !== undefined && body.metadata.name !== name) {
    throw resourceErrors.name_mismatch({ body: body.metadata.name, path: name });
  }
  const context = await ruleContext(call, rules);
  const parentUid = context.parents.at(-1)?.uid;
  const scope = { workspaceId: call.workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) };
  const previous = await lockLive(call.tx, scope, name);
  // The resource has expired, so there is nothing to change.
  if (previous?.status === 'TERMINATED') throw requestErrors.not_found();
  if (previous !== undefined) return changeRow(call, rules, context, previous, body);
  if (kind.upsert !== true) throw requestErrors.not_found();
  const metadata = requireValidName(kind, { ...body.metadata, name });
  try {
    return await createResource(call, rules, { ...body, metadata });
  } catch (error) {
    // A concurrent request created the resource first, so this request changes it.
    const taken = error instanceof ApiError && error.code === 'already_exists';
    const winner = taken ? await lockLive(call.tx, scope, name) : undefined;
    if (winner === undefined) throw error;
    return changeRow(call, rules, context, winner, body);
  }
}

/** Names in paths are only looked up; a name that is created must also be valid. */
function requireValidName(kind: Kind, metadata: ResourceBody['metadata']): ResourceBody['metadata'] {
  const parsed = kind.metadataInput.safeParse(metadata);
  if (parsed.success) return { ...parsed.data };
  const reason = parsed.error.issues[0]?.message ?? 'is not valid';
  throw requestErrors.invalid_request({ reason: `path.${kind.param}: ${reason}. Choose another name.` });
}

async function changeRow(
  call: WriteCall,
  rules: KindRules,
  context: RuleContext,
  previous: ResourceRow,
  body: ResourceBody,
): Promise<Rendered> {
  const { kind, tx } = context;
  if (previous.status === 'DELETING') throw resourceErrors.being_deleted({ kind: kind.kind, name: previous.name });
  const draft = changedDraft(rules, previous, body);
  await rules.beforeReplace?.(context, draft, previous);
  refuseIdle(kind, body.spec);
  const wanted = await sealDraft(call, kind, draft, previous);
  const specChanged = !isDeepStrictEqual(wanted, previous.spec);
  const redeployed = kind.revisions === true && !isDeepStrictEqual(deployable(wanted), deployable(previous.spec));
  const switched = specChanged && kind.revisions === true && !redeployed;
  if (redeployed || switched) await requireKnownRevisions(tx, previous.uid, wanted);
  if (redeployed || (switched && wanted.enabled !== previous.spec.enabled))
    await announceDeployment(context, draft, wanted, previous);
  const revision = redeployed ? newRevisionId() : undefined;
  const spec = revision === undefined ? wanted : await trafficToNew(tx, previous.uid, wanted, revision);
  const changed = await update(call, previous, { ...draft, spec }, specChanged);
  call.target(`${kind.kind}/${changed.name}`);
  await writeArrival(call, context, changed, draft, revision, previous.spec);
  const row = (await rules.afterReplace?.(context, changed)) ?? changed;
  await enqueueChange(call, rules, row.uid);
  const events = await loadEvents(tx, [row]);
  const rendered = await present(call, rules, context, row, events.get(row.uid) ?? []);
  return rules.render?.onWrite?.(rendered, draft.spec) ?? rendered;
}

function changedDraft(rules: KindRules, previous: ResourceRow, { metadata, spec }: ResourceBody): Draft {
  const { kind } = rules;
  const merged = replaceSections(previous.spec, rules.normalize?.(spec) ?? spec);
  return {
    uid: previous.uid,
    name: previous.name,
    displayName: metadata.displayName ?? previous.display_name ?? undefined,
    externalId: metadata.externalId ?? previous.external_id ?? undefined,
    labels: metadata.labels ?? previous.labels ?? undefined,
    spec: keepImmutable(kind, previous.spec, restoreMasked(kind, merged, previous.spec)),
    state: previous.state ?? undefined,
    status: previous.status ?? undefined,
    events: [],
  };
}

/** Sets the first status of a new deployment, or of a deactivation, and adds its event. */
async function announceDeployment(
  { kind, tx }: RuleContext,
  draft: Draft,
  spec: JsonObject,
  previous: ResourceRow,
): Promise<void> {
  const arrival = kind.arrival?.(spec);
  if (arrival === undefined) return;
  const stops = kind.runs === true && arrival.status === 'DEACTIVATED' && (await hasLiveInstances(tx, previous.uid));
  const announced = stops
    ? { ...arrival, status: 'DEACTIVATING', message: 'Not enabled. What runs of it is stopped.' }
    : arrival;
  draft.status = announced.status;
  draft.events.push(announced);
}

async function sealDraft(call: WriteCall, kind: Kind, draft: Draft, previous: ResourceRow): Promise<JsonObject> {
  if (!holdsSecrets(kind, draft.spec)) return draft.spec;
  const key = await call.dependencies.keyring.workspaceKey(call.tx, call.workspace.id);
  return sealSecrets(kind, draft.spec, key, previous.uid);
}

function update(call: WriteCall, previous: ResourceRow, draft: Draft, specChanged: boolean): Promise<ResourceRow> {
  return call.tx
    .updateTable('resources')
    .set({
      display_name: draft.displayName ?? null,
      external_id: draft.externalId ?? null,
      labels: draft.labels === undefined ? null : JSON.stringify(draft.labels),
      spec: JSON.stringify(draft.spec),
      state: draft.state === undefined ? null : JSON.stringify(draft.state),
      status: draft.status ?? null,
      generation: previous.generation + (specChanged ? 1 : 0),
      updated_at: new Date(Math.max(call.dependencies.now(), previous.updated_at.getTime() + 1)),
      updated_by: call.principal.subject,
      search: searchText(draft),
    })
    .where('uid', '=', previous.uid)
    .where('generation', '=', previous.generation)
    .returning(resourceColumns)
    .executeTakeFirstOrThrow();
}
