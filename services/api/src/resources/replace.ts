// Changes a resource of any kind. Sections that were sent replace the stored ones; a change of metadata alone touches
// neither status nor events.
import { isDeepStrictEqual } from 'node:util';
import { ApiError, type Kind, type ResourceBody, requestErrors, resourceErrors } from '@berth/contract';
import { enqueue, type JsonObject } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { kindRules } from '../kinds/index.ts';
import { createResource, present, ruleContext, sentSpec, writeArrival } from './create.ts';
import { loadEvents } from './events.ts';
import { lockLive, type ResourceRow, resourceColumns } from './record.ts';
import type { Rendered } from './render.ts';
import { deployable, requireKnownRevisions } from './revisions.ts';
import type { Draft, RuleContext } from './rules.ts';
import { searchText } from './search-text.ts';
import { holdsSecrets, restoreMasked, sealSecrets } from './secrets.ts';
import { keepImmutable, replaceSections } from './spec-change.ts';

export async function replaceResource(
  call: WriteCall,
  kind: Kind,
  name: string,
  body: ResourceBody,
): Promise<Rendered> {
  if (body.metadata.name !== undefined && body.metadata.name !== name) {
    throw resourceErrors.name_mismatch({ body: body.metadata.name, path: name });
  }
  const context = await ruleContext(call, kind);
  const parentUid = context.parents.at(-1)?.uid;
  const place = { workspaceId: call.workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) };
  const previous = await lockLive(call.tx, place, name);
  if (previous !== undefined) return changeRow(call, context, previous, body);
  if (kind.upsert !== true) throw requestErrors.not_found();
  const metadata = nameable(kind, { ...body.metadata, name });
  try {
    return await createResource(call, kind, { ...body, metadata });
  } catch (error) {
    // Another request created it in the meantime, so this one changes it.
    const taken = error instanceof ApiError && error.code === 'already_exists';
    const winner = taken ? await lockLive(call.tx, place, name) : undefined;
    if (winner === undefined) throw error;
    return changeRow(call, context, winner, body);
  }
}

/** Names in addresses are only looked up; one that is to be created must also have the form of a name. */
function nameable(kind: Kind, metadata: ResourceBody['metadata']): ResourceBody['metadata'] {
  const parsed = kind.metadataInput.safeParse(metadata);
  if (parsed.success) return { ...parsed.data };
  const reason = parsed.error.issues[0]?.message ?? 'is not valid';
  throw requestErrors.invalid_request({ reason: `path.${kind.param}: ${reason}. Choose another name.` });
}

async function changeRow(
  call: WriteCall,
  context: RuleContext,
  previous: ResourceRow,
  body: ResourceBody,
): Promise<Rendered> {
  const { kind, tx } = context;
  const draft = changedDraft(kind, previous, body);
  await kindRules[kind.kind]?.replace?.(context, draft, previous);
  const spec = await sealed(call, kind, draft, previous);
  const specChanged = !isDeepStrictEqual(spec, previous.spec);
  const redeployed = kind.revisions === true && !isDeepStrictEqual(deployable(spec), deployable(previous.spec));
  const switched = specChanged && kind.revisions === true && !redeployed;
  if (redeployed || (switched && spec.enabled !== previous.spec.enabled)) announce(kind, draft, spec);
  if (switched) await requireKnownRevisions(tx, previous.uid, spec);
  const row = await update(call, previous, { ...draft, spec }, specChanged);
  call.target(`${kind.kind}/${row.name}`);
  await writeArrival(call, row, draft, redeployed);
  await enqueue(tx, { topic: 'reconcile', key: row.uid, trace: call.trace });
  const events = await loadEvents(tx, [row]);
  const rendered = await present(call, context, row, events.get(row.uid) ?? []);
  return kindRules[kind.kind]?.written?.(rendered, draft.spec) ?? rendered;
}

function changedDraft(kind: Kind, previous: ResourceRow, { metadata, spec }: ResourceBody): Draft {
  const merged = replaceSections(previous.spec, sentSpec(kind, spec));
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

/** A new deployment begins: its first status and the event that says so. */
function announce(kind: Kind, draft: Draft, spec: JsonObject): void {
  const arrival = kind.arrival?.(spec);
  if (arrival === undefined) return;
  draft.status = arrival.status;
  draft.events.push(arrival);
}

async function sealed(call: WriteCall, kind: Kind, draft: Draft, previous: ResourceRow): Promise<JsonObject> {
  if (!holdsSecrets(kind, draft.spec)) return draft.spec;
  const key = await call.dependencies.keyring.workspaceKey(call.tx, call.workspace.id);
  return sealSecrets(kind, draft.spec, previous.spec, key, previous.uid);
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
