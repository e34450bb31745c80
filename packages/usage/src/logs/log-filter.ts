// Which lines a query is about. Every query is limited to one workspace.
import { type LogSeverity, severityNumbers } from '@berth/contract';

export interface LogFilter {
  readonly workspaceId: string;
  readonly resourceTypes: readonly string[];
  /** Absent: all workloads. */
  readonly workloads?: readonly string[] | undefined;
  /** Absent: lines of all executions, and lines that belong to none. */
  readonly executionIds?: readonly string[] | undefined;
  /** Index of a task. Absent: lines of all tasks, and lines that belong to none. */
  readonly task?: number | undefined;
  /** Absent: all severities. */
  readonly severities?: readonly LogSeverity[] | undefined;
  /** Text that a line must contain, ignoring case. */
  readonly search?: string | undefined;
}

export const filterConditions = ({
  workloads,
  executionIds,
  task,
  severities,
  search,
}: LogFilter): readonly string[] => [
  'workspace_id = {workspaceId:UUID}',
  'resource_type IN {resourceTypes:Array(String)}',
  ...(workloads === undefined ? [] : ['workload IN {workloads:Array(String)}']),
  ...(executionIds === undefined ? [] : ['execution_id IN {executionIds:Array(UUID)}']),
  ...(task === undefined ? [] : ['task = {task:Int32}']),
  ...(severities === undefined ? [] : ['toInt8(logs.severity) IN {severities:Array(Int8)}']),
  ...(search === undefined ? [] : ['positionCaseInsensitiveUTF8(text, {search:String}) > 0']),
];

export const filterParameters = ({
  workspaceId,
  resourceTypes,
  workloads = [],
  executionIds = [],
  task = -1,
  severities = [],
  search = '',
}: LogFilter): Readonly<Record<string, unknown>> => ({
  ...{ workspaceId, resourceTypes, workloads, executionIds, task, search },
  severities: severities.map((name) => severityNumbers[name]),
});

/**
 * Duplicates of a line are in the same partition, since their time is the same, so FINAL may handle each day by itself.
 * They also have the same execution, so the index of executions finds all of them or none.
 */
export const logSettings = {
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final: 1,
  max_execution_time: 20,
} as const;
