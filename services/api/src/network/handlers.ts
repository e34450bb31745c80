// Egress gateways and addresses of all VPCs of a workspace, and the shared public ranges. Control-plane sheet 1.13.
import {
  egressGateway,
  getEgressGatewayUsage,
  listAllEgressGateways,
  listAllEgressIps,
  listPublicIps,
} from '@berth/contract';
import { liveResource, nilUuid } from '@berth/database';
import { sql } from 'kysely';
import { type ReadCall, type Registration, read } from '../http/call.ts';
import { loadEvents } from '../resources/events.ts';
import { type ResourceRow, resourceColumns } from '../resources/record.ts';
import { type Rendered, renderResource } from '../resources/render.ts';
import type { KindRules } from '../resources/rules.ts';
import { requireRegion } from '../rules/regions.ts';
import { egressGatewayRules } from './egress-gateway-rules.ts';
import { egressIpRules } from './egress-ip-rules.ts';

async function rowsOf({ database, workspace }: ReadCall, kinds: readonly string[]): Promise<ResourceRow[]> {
  return database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', workspace.id)
    .where('kind', 'in', [...kinds])
    .where(liveResource())
    .orderBy('created_at', 'desc')
    .orderBy('uid', 'desc')
    .execute();
}

/** Lists rows newest first, like the listing below one parent; each row carries the names of its parents. */
async function listOverParents(call: ReadCall, { kind, render }: KindRules): Promise<Rendered[]> {
  const held = await rowsOf(call, [kind.kind, ...(kind.parents ?? []).map((parent) => parent.kind)]);
  const byUid = new Map(held.map((row) => [row.uid, row]));
  const rows = held.filter((row) => row.kind === kind.kind);
  const events = await loadEvents(call.database, rows);
  const { dependencies, workspace } = call;
  return rows.map((row) => {
    const view = { dependencies, workspace, parents: parentsOf(row, byUid) };
    return renderResource(kind, row, events.get(row.uid), view, render?.one);
  });
}

function parentsOf(row: ResourceRow, byUid: ReadonlyMap<string, ResourceRow>): ResourceRow[] {
  const parent = row.parent_uid === nilUuid ? undefined : byUid.get(row.parent_uid);
  return parent === undefined ? [] : [...parentsOf(parent, byUid), parent];
}

/** Sandbox names by gateway name. Every gateway has an entry; gateways of the same name in several VPCs share one. */
async function usageByGateway(call: ReadCall): Promise<Record<string, string[]>> {
  const gateways = await rowsOf(call, [egressGateway.kind]);
  const { rows } = await sql<{ gateway: string; name: string }>`
    select spec->'network'->'egress'->>'gateway' as gateway, name from resources
    where workspace_id = ${call.workspace.id} and kind = 'sandbox' and ${liveResource()}
      and spec->'network'->'egress' ? 'gateway'
    order by name`.execute(call.database);
  const usage = new Map<string, string[]>(gateways.map(({ name }) => [name, []]));
  for (const { gateway, name } of rows) usage.get(gateway)?.push(name);
  return Object.fromEntries(usage);
}

export const egressHandlers: readonly Registration[] = [
  read(listAllEgressGateways, (call) => listOverParents(call, egressGatewayRules)),
  read(listAllEgressIps, (call) => listOverParents(call, egressIpRules)),
  read(getEgressGatewayUsage, usageByGateway),
  read(listPublicIps, async ({ dependencies: { config }, query: { region } }) => {
    if (region !== undefined) requireRegion(config, 'region', region);
    const shown = config.regions.filter(({ name }) => region === undefined || name === region);
    return Object.fromEntries(
      shown.map(({ name, location, publicIpv4, publicIpv6 }) => [
        name,
        {
          ...(location === '' ? {} : { description: location }),
          ipv4Cidrs: publicIpv4,
          ipv6Cidrs: publicIpv6,
        },
      ]),
    );
  }),
];
