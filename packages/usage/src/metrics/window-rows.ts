// Rows of a window in ClickHouse, one for each hour, resource and dimension: closed hours as they are stored, open hours
// computed from intervals.
import { billedHours, billingParameters } from '../ledger/billed-hours.ts';
import type { MetricsFilters, MetricsQuery } from './metrics-query.ts';
import type { WindowParts } from './split-window.ts';

type Filtered = Pick<MetricsQuery, 'accountId' | 'workspaceIds' | 'filters'>;

/** A text that is no UUID equals no column. */
const resourceUuid = 'toUUIDOrNull({resourceUuid:String})';

const equalities: Readonly<Record<keyof MetricsFilters, string>> = {
  workspace: 'workspace = {workspace:String}',
  resourceType: 'resource_type = {resourceType:String}',
  resourceName: 'resource_name = {resourceName:String}',
  resourceUuid: `resource_uid = ${resourceUuid}`,
  billingDimension: 'dimension = {billingDimension:String}',
};

/** Closed hours do not know from which instances they come; their intervals do, for as long as they are kept. */
const intervalEqualities = {
  ...equalities,
  resourceUuid: `(resource_uid = ${resourceUuid} OR source = ${resourceUuid})`,
};

const instanceEqualities = {
  ...equalities,
  resourceUuid: `source = ${resourceUuid} AND resource_uid != ${resourceUuid}`,
};

function conditions({ workspaceIds, filters }: Filtered, of: typeof equalities): string[] {
  const { workspace, resourceType, resourceName, resourceUuid: uuid, billingDimension } = filters;
  return [
    ...(workspaceIds === undefined ? [] : ['workspace_id IN {workspaceIds:Array(UUID)}']),
    ...(workspace === undefined ? [] : [of.workspace]),
    ...(resourceType === undefined ? [] : [of.resourceType]),
    ...(resourceName === undefined ? [] : [of.resourceName]),
    ...(uuid === undefined ? [] : [of.resourceUuid]),
    ...(billingDimension === undefined ? [] : [of.billingDimension]),
  ];
}

const openHours = `{openHours:Array(DateTime('UTC'))}`;

/** Undefined where the window holds no time. */
export function windowRows(query: Filtered, { full, openHoursMs }: WindowParts): string | undefined {
  const closedHours = [
    `hour >= {fullFrom:DateTime('UTC')} AND hour < {fullTo:DateTime('UTC')}`,
    ...(openHoursMs.length === 0 ? [] : [`hour NOT IN ${openHours}`]),
  ];
  const closed = ['account_id = {accountId:UUID}', ...closedHours, ...conditions(query, equalities)];
  const open = [`hour IN ${openHours}`, ...conditions(query, intervalEqualities)];
  const sources = [
    ...(full.fromMs < full.toMs
      ? [
          `SELECT hour, workspace_id, workspace AS label, resource_type, resource_name, resource_uid, dimension, micro, pico
            FROM usage_hours FINAL WHERE ${closed.join(' AND ')}`,
          ...ofInstances(query, [...closedHours, ...conditions(query, instanceEqualities)]),
        ]
      : []),
    ...(openHoursMs.length === 0 ? [] : [billedHours(open.join(' AND '))]),
  ];
  return sources.length === 0 ? undefined : sources.join(' UNION ALL ');
}

/** Instances with the id of the filter, in closed hours. */
const ofInstances = ({ filters }: Filtered, closed: readonly string[]): string[] =>
  filters.resourceUuid === undefined ? [] : [billedHours(closed.join(' AND '))];

/** Parameters of `windowRows`. */
export function windowParameters(
  { accountId, workspaceIds = [], filters, prices }: Filtered & Pick<MetricsQuery, 'prices'>,
  { window, full, openHoursMs }: WindowParts,
) {
  return {
    ...{ accountId, workspaceIds, ...filters },
    fullFrom: new Date(full.fromMs),
    fullTo: new Date(full.toMs),
    openHours: openHoursMs.map((ms) => new Date(ms)),
    ...billingParameters(window, prices),
  };
}
