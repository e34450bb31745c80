// Loads the policies and connections that a revision names, in their current state. Deleted ones are ignored.
import type { DatabaseTransaction, JsonObject } from '@berth/database';
import { liveResource, nilUuid } from '@berth/database';
import { sql } from 'kysely';
import type { Region } from '../config.ts';
import { type AllowedRegions, allowedRegions, PlacementPolicy } from '../place/allowed-regions.ts';
import type { Connection } from './environment-variables.ts';
import { ConnectionSpec, type WorkloadSpec } from './workload-spec.ts';

export async function loadRegions(
  tx: DatabaseTransaction,
  workspaceId: string,
  regions: readonly Region[],
  { region, policies }: WorkloadSpec,
): Promise<AllowedRegions> {
  const named = await loadNamed(tx, workspaceId, 'policy', policies);
  return allowedRegions(
    regions,
    region,
    named.map(({ name, spec }) => ({ ...PlacementPolicy.parse(spec), name })),
  );
}

export async function loadConnections(
  tx: DatabaseTransaction,
  workspaceId: string,
  { integrationConnections }: WorkloadSpec,
): Promise<Connection[]> {
  const named = await loadNamed(tx, workspaceId, 'integrationconnection', integrationConnections);
  return named.map(({ uid, spec }) => ({ uid, ...ConnectionSpec.parse(spec) }));
}

interface NamedRow {
  readonly uid: string;
  readonly name: string;
  readonly spec: JsonObject;
}

/** In the order of `names`. */
async function loadNamed(
  tx: DatabaseTransaction,
  workspaceId: string,
  kind: string,
  names: readonly string[],
): Promise<readonly NamedRow[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<NamedRow>`
    select uid, name, spec from resources
    where workspace_id = ${workspaceId} and kind = ${kind} and parent_uid = ${sql.lit(nilUuid)}
      and name = any(${[...names]}::text[]) and ${liveResource()}
    order by array_position(${[...names]}::text[], name)`.execute(tx);
  return rows;
}
