// Adds to each custom domain the previews that are served on it; control-plane sheet 2.15. A domain without previews
// has no `subdomains` field.
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';
import { publicUrl } from '../http/public-url.ts';
import type { ResourceRow } from '../resources/record.ts';
import type { Rendered, View } from '../resources/render.ts';

interface OnDomain {
  readonly domain: string;
  readonly label: string;
  readonly preview: string;
  readonly sandbox: string;
}

export async function showSubdomains(
  database: Database,
  items: readonly Rendered[],
  rows: readonly ResourceRow[],
  { dependencies: { config }, workspace }: View,
): Promise<Rendered[]> {
  const { rows: found } = await sql<OnDomain>`
    select asked.domain, host.label, preview.name as preview, sandbox.name as sandbox
    from unnest(${rows.map(({ name }) => name)}::text[]) as asked(domain)
    join resources preview on preview.workspace_id = ${workspace.id} and preview.kind = 'preview'
      and ${liveResource('preview')} and (preview.expires_at is null or preview.expires_at > now())
      and preview.spec ->> 'customDomain' = asked.domain
    join preview_hosts host on host.preview_uid = preview.uid
    join resources sandbox on sandbox.uid = preview.parent_uid
    order by host.label`.execute(database);
  return items.map((item, index) => {
    const domain = rows[index]?.name ?? '';
    const subdomains = found
      .filter((preview) => preview.domain === domain)
      .map(({ label, preview, sandbox }) => ({
        subdomain: label === domain ? '' : label.slice(0, -domain.length - 1),
        url: publicUrl(label, config),
        previewName: preview,
        resourceName: sandbox,
        resourceType: 'sandbox',
      }));
    return subdomains.length === 0 ? item : { ...item, spec: { ...item.spec, subdomains } };
  });
}
