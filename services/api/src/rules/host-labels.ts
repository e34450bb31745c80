// First label of a workload's host name: unique in its region, stored with the resource. Decisions: host label.
import { kinds } from '@berth/contract';
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { sql } from 'kysely';
import { gatewayUrl } from '../config.ts';
import type { CallerWorkspace } from '../http/call.ts';
import { publicUrl } from '../http/public-url.ts';
import type { ResourceRow } from '../resources/record.ts';
import type { RenderOne } from '../resources/render.ts';
import type { Draft, RuleContext } from '../resources/rules.ts';
import { kindErrors } from './errors.ts';
import { homeRegion } from './regions.ts';
import { textOf } from './spec-fields.ts';

export type HostPrefix = 'agt' | 'mcp' | 'mdl' | 'sbx';

const maxLabelLength = 63;
/** Uses the end of a UUIDv7, which is random; the beginning is a timestamp that UUIDs of the same moment share. */
export const shortId = (uuid: string): string => uuid.slice(-8);

interface Named {
  readonly name: string;
  readonly uid: string;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** A name that ends like a short id could equal a label of the workspace with that id. */
export const endsLikeShortId = /-[0-9a-f]{8}$/;

/** Workspace names that could form the same text: `a-b` in `c` gives the same text as `a` in `b-c`. */
function possibleWorkspaces(text: string): string[] {
  const parts = text.split('-');
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join('-'));
}

/**
 * True when an older workspace of another account could form the same text. The older workspace keeps the text even
 * while none of its workloads uses it: otherwise the address of a deleted workload could be taken over under another
 * name.
 */
export const belongsToOlderWorkspace = (text: string, { id, account }: CallerWorkspace) => sql<boolean>`exists (
  select 1 from workspaces
  where name = any(${possibleWorkspaces(text)}::text[]) and account_id <> ${account.id} and id < ${id})`;

/**
 * Candidate labels in the order in which they are tried. The last one ends in the resource's own id, so it collides
 * with no other by accident.
 */
export function hostLabels(prefix: HostPrefix, { name, uid, workspace }: Named): string[] {
  const readable = `${prefix}-${name}-${workspace.name}`;
  const labels = [shortId(workspace.id), shortId(uid)].map((end) => `${prefix}-${name}-${end}`);
  return (endsLikeShortId.test(readable) ? labels : [readable, ...labels]).filter(
    (label) => label.length <= maxLabelLength,
  );
}

/** Claims a label for an existing row and writes it into the row's state. */
export async function claimHostLabel(context: RuleContext, prefix: HostPrefix, row: ResourceRow): Promise<ResourceRow> {
  const region = textOf(row.spec.region) ?? (await homeRegion(context));
  const claim = async (label: string): Promise<JsonObject | undefined> => {
    const claimed = await sql<{ state: JsonObject }>`
      with claimed as (
        insert into host_labels (region, label, resource_uid) select ${region}, ${label}, ${row.uid}
        where not ${belongsToOlderWorkspace(label.slice(prefix.length + 1), context.workspace)}
        on conflict do nothing returning label
      )
      update resources set state = coalesce(state, '{}') || ${JSON.stringify({ hostLabel: label, hostRegion: region })}::jsonb
      from claimed where uid = ${row.uid} returning state`.execute(context.tx);
    return claimed.rows[0]?.state;
  };
  for (const label of hostLabels(prefix, { ...row, workspace: context.workspace })) {
    const state = (await claim(label)) ?? (await afterRelease(context.tx, region, label, claim));
    if (state !== undefined) return { ...row, state };
  }
  throw kindErrors.host_name_taken({ name: row.name });
}

/**
 * Second attempt for a taken label: resources left over from a deleted workspace lose their labels, even before they
 * are removed.
 */
export async function afterRelease<Claimed>(
  tx: DatabaseTransaction,
  region: string,
  label: string,
  claim: (label: string) => Promise<Claimed | undefined>,
): Promise<Claimed | undefined> {
  await sql`
    delete from host_labels using resources
    where region = ${region} and label = ${label} and resources.uid = resource_uid
      and not exists (select 1 from workspaces where workspaces.id = resources.workspace_id)`.execute(tx);
  return claim(label);
}

async function releaseHostLabel(tx: DatabaseTransaction, { uid }: Pick<ResourceRow, 'uid'>): Promise<void> {
  await tx.deleteFrom('host_labels').where('resource_uid', '=', uid).execute();
}

/**
 * Moves the label of a workload that is pinned to another region: the workload is then served there, under a label of
 * that region.
 */
export async function moveHostLabel(
  context: RuleContext,
  prefix: HostPrefix,
  draft: Draft,
  previous: ResourceRow,
): Promise<void> {
  const region = textOf(draft.spec.region);
  if (region === undefined || region === previous.state?.hostRegion) return;
  await releaseHostLabel(context.tx, previous);
  const moved = await claimHostLabel(context, prefix, { ...previous, spec: draft.spec });
  draft.state = moved.state ?? undefined;
}

/** `metadata.url` of workloads that answer requests. */
export const workloadUrl: RenderOne = (rendered, { kind, name, state }, { workspace, dependencies: { config } }) => {
  const label = textOf(state?.hostLabel);
  const region = textOf(state?.hostRegion);
  if (label === undefined || region === undefined) return rendered;
  const path = kinds.find((declared) => declared.kind === kind)?.path;
  const url =
    config.workloadUrls === 'paths' && path !== undefined
      ? `${gatewayUrl(config)}/${workspace.name}${path}/${name}`
      : publicUrl(`${label}.${region}.${config.workloadDomain}`, config);
  return { ...rendered, metadata: { ...rendered.metadata, url } };
};
