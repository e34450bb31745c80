// Claims a host for a preview. A holder that has expired or whose workspace is deleted is removed; a live preview of
// the same workspace is removed if the caller sets `force`.
import { liveResource } from '@berth/database';
import { sql } from 'kysely';
import { domainsAbove } from '../domains/records.ts';
import type { Draft, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { belongsToOlderWorkspace } from '../rules/host-labels.ts';
import { textOf } from '../rules/spec-fields.ts';
import { previewErrors } from './errors.ts';
import { type PreviewHost, previewHostName, previewLabels } from './preview-hosts.ts';
import { removePreviews } from './remove-previews.ts';

/** Concurrent requests with `force` take the host from each other one after the other. */
const maxRounds = 50;

type Claimant = Pick<Draft, 'uid' | 'name' | 'spec'>;

/** Candidate hosts of the preview, in the order in which they are tried. */
async function wantedHosts(context: RuleContext, { name, spec }: Claimant): Promise<PreviewHost[]> {
  const sandbox = context.parents.at(-1);
  const region = textOf(sandbox?.spec.region) ?? '';
  const prefix = textOf(spec.prefixUrl);
  const domain = textOf(spec.customDomain);
  if (domain !== undefined) {
    await requireDomain(context, domain, region);
    return [{ region: '', label: prefix === undefined ? domain : `${prefix}.${domain}` }];
  }
  const names = { workspace: context.workspace, sandbox: sandbox?.name ?? '', preview: name };
  return previewLabels(names, prefix).map((label) => ({ region, label }));
}

export async function claimHost(context: RuleContext, claimant: Claimant): Promise<PreviewHost> {
  const hosts = await wantedHosts(context, claimant);
  for (const host of hosts) {
    if (await belongsToOlder(context, host)) continue;
    if (await claim(context, claimant.uid, host)) return host;
  }
  throw kindErrors.host_name_taken({ name: claimant.name });
}

/** A host below a custom domain has no region, and no other workspace can form it. */
async function belongsToOlder({ tx, workspace }: RuleContext, { region, label }: PreviewHost): Promise<boolean> {
  if (region === '' || !label.includes('-')) return false;
  const { rows } = await sql<{
    belongs: boolean;
  }>`select ${belongsToOlderWorkspace(label, workspace)} as "belongs"`.execute(tx);
  return rows[0]?.belongs === true;
}

/** Returns false when another account holds the host; the response does not reveal that account. */
async function claim(context: RuleContext, uid: string, host: PreviewHost): Promise<boolean> {
  // The holder may disappear, and another may appear, between the insert and the lookup.
  for (let round = 0; round < maxRounds; round += 1) {
    if (await insertHost(context, uid, host)) return true;
    const holder = await holderOf(context, host);
    if (holder === undefined) continue;
    const isOurs = holder.workspace_id === context.workspace.id;
    if (holder.is_over || (isOurs && context.query.force === true)) await removePreviews(context.tx, [holder.uid]);
    else if (holder.account_id !== context.workspace.account.id) return false;
    else break;
  }
  throw previewErrors.preview_host_taken({ host: previewHostName(host, context.dependencies.config.workloadDomain) });
}

async function insertHost({ tx }: RuleContext, uid: string, { region, label }: PreviewHost): Promise<boolean> {
  const inserted = await tx
    .insertInto('preview_hosts')
    .values({ region, label, preview_uid: uid })
    .onConflict((conflict) => conflict.columns(['region', 'label']).doNothing())
    .returning('label')
    .executeTakeFirst();
  return inserted !== undefined;
}

const holderOf = ({ tx }: RuleContext, { region, label }: PreviewHost) =>
  tx
    .selectFrom('preview_hosts')
    .innerJoin('resources', 'resources.uid', 'preview_hosts.preview_uid')
    .leftJoin('workspaces', 'workspaces.id', 'resources.workspace_id')
    .select([
      'resources.uid',
      'resources.workspace_id',
      'workspaces.account_id',
      sql<boolean>`coalesce(resources.expires_at <= clock_timestamp(), false) or workspaces.id is null`.as('is_over'),
    ])
    .where('preview_hosts.region', '=', region)
    .where('label', '=', label)
    .executeTakeFirst();

/** A verified domain also covers the names below it. The row is locked, so that it cannot be deleted in between. */
async function requireDomain({ tx, workspace }: RuleContext, name: string, here: string): Promise<void> {
  const domain = await tx
    .selectFrom('resources')
    .select('spec')
    .where('workspace_id', '=', workspace.id)
    .where('kind', '=', 'customdomain')
    .where('name', 'in', [name, ...domainsAbove(name)])
    .where(liveResource())
    .where(sql<boolean>`spec ->> 'status' = 'verified' and spec ->> 'domainType' is distinct from 'applications'`)
    .orderBy(sql`length(name)`, 'desc')
    .limit(1)
    .forKeyShare()
    .executeTakeFirst();
  if (domain === undefined) throw previewErrors.preview_domain_unknown({ name });
  const there = textOf(domain.spec.region) ?? '';
  if (there !== here)
    throw kindErrors.other_region({ field: 'spec.customDomain', kind: 'custom domain', name, there, here });
}
