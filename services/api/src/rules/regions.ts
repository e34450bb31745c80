// Regions come from the operator's config. A resource that lives in one region stores its name; `auto` leaves the
// choice to the service.
import { resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { ApiConfig } from '../config.ts';
import type { Draft, RuleContext } from '../resources/rules.ts';
import { textOf, without } from './spec-fields.ts';

const isKnown = (config: Pick<ApiConfig, 'regions'>, region: string): boolean =>
  config.regions.some(({ name }) => name === region);

export const regionNames = ({ regions }: Pick<ApiConfig, 'regions'>): string =>
  regions.map(({ name }) => name).join(', ');

export function requireRegion(config: Pick<ApiConfig, 'regions'>, field: string, region: string): void {
  if (!isKnown(config, region)) throw resourceErrors.unknown_region({ field, region, regions: regionNames(config) });
}

/** `auto` is the same as no region. */
export const withoutAuto = (spec: JsonObject): JsonObject => (spec.region === 'auto' ? without(spec, 'region') : spec);

/** Region of the workspace, or the deployment's first region when the workspace's region no longer exists. */
export async function homeRegion({ tx, workspace, dependencies: { config } }: RuleContext): Promise<string> {
  const row = await tx.selectFrom('workspaces').select('region').where('id', '=', workspace.id).executeTakeFirst();
  const region = row?.region ?? '';
  return isKnown(config, region) ? region : (config.regions[0]?.name ?? 'local');
}

/** For kinds that may be pinned to a region and otherwise exist in all regions. */
export function checkRegion({ dependencies: { config } }: RuleContext, { spec }: Draft): string | undefined {
  const region = textOf(spec.region);
  if (region !== undefined) requireRegion(config, 'spec.region', region);
  return region;
}

/** For kinds that always live in one region. */
export async function resolveRegion(context: RuleContext, draft: Draft): Promise<string> {
  const region = checkRegion(context, draft) ?? (await homeRegion(context));
  draft.spec = { ...draft.spec, region };
  return region;
}
