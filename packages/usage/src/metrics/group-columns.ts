import type { MetricsGroup } from '@berth/contract';

/**
 * Columns whose values identify a group, in the order of its key. A name identifies a resource only within its workspace
 * and type, and a new workspace may have the name of a deleted one. So a group has one value of each field shown with it.
 */
const columns = [
  { name: 'workspace_id', shownBy: ['workspace', 'resource_name', 'resource_uuid'] },
  { name: 'resource_type', shownBy: ['resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'] },
  { name: 'resource_name', shownBy: ['resource_name', 'resource_uuid'] },
  { name: 'resource_uid', shownBy: ['resource_uuid'] },
  { name: 'dimension', shownBy: ['billing_dimension'] },
] as const satisfies readonly { readonly name: string; readonly shownBy: readonly MetricsGroup[] }[];

export type GroupColumn = (typeof columns)[number]['name'];

export const groupColumns = (groupBy: readonly MetricsGroup[]): GroupColumn[] =>
  columns.filter(({ shownBy }) => shownBy.some((group) => groupBy.includes(group))).map(({ name }) => name);
