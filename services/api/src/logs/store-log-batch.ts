import { kinds, requestErrors } from '@berth/contract';
import { InstanceResource, type LogBatch, type LogLine } from '@berth/contract/node';
import type { LogRow } from '@berth/usage';
import { z } from 'zod';
import type { Dependencies } from '../dependencies.ts';
import { countLogBytes, loggedToday } from './logged-today.ts';
import { withUsage } from './with-usage.ts';
import { withinDay } from './within-day.ts';

const SpecWithResource = z.object({ resource: InstanceResource.optional() });

/**
 * Resolves once the lines are stored. Lines of an unknown instance, of one without an owner, and of a deployment without
 * ClickHouse are acknowledged without being stored; otherwise the runner would resend them endlessly.
 */
export async function storeLogBatch(
  dependencies: Pick<Dependencies, 'database' | 'usage' | 'config'>,
  runnerId: string,
  { instance, lines }: LogBatch,
  onDropped: (bytes: number) => void = () => {},
): Promise<{ readonly stored: number }> {
  const row = await dependencies.database
    .selectFrom('instances')
    .select(['runner_id', 'workspace_id', 'resource_uid', 'revision', 'spec', 'execution_id', 'task_index'])
    .where('id', '=', instance)
    .executeTakeFirst();
  if (row === undefined) return { stored: 0 };
  const { workspace_id: workspaceId, resource_uid: resourceUid, execution_id: executionId, task_index: index } = row;
  if (row.runner_id !== runnerId) throw requestErrors.access_denied();
  const { resource } = SpecWithResource.parse(row.spec);
  if (dependencies.usage === undefined) return { stored: 0 };
  // An instance in the warm pool has no owner, so its lines belong to no workspace.
  if (resource === undefined || workspaceId === null || resourceUid === null) return { stored: 0 };
  const origin = {
    workspaceId,
    resourceType: segmentOf(resource.kind),
    resourceUid,
    workload: resource.name,
    revision: row.revision,
    instanceId: instance,
    task: executionId === null || index === null ? undefined : { executionId, index },
  };
  const { database, config } = dependencies;
  const day = withinDay(lines, await loggedToday(database, workspaceId), config.logBytesPerDay);
  const rows: LogRow[] = day.kept.map((line: LogLine) => ({ ...origin, ...line }));
  const stored = await withUsage(dependencies, ({ logs }) => logs.write(rows));
  // Counted only after storing: while ClickHouse is unreachable, the runner sends the same lines repeatedly.
  await countLogBytes(database, workspaceId, day.bytes);
  if (day.droppedBytes > 0) onDropped(day.droppedBytes);
  return { stored };
}

/** Path segment of a kind, for example `agents` for an agent. */
function segmentOf(kind: string): string {
  const path = kinds.find((known) => known.kind === kind)?.path;
  if (path === undefined) throw new Error(`no kind is named ${kind}`);
  return path.slice(1);
}
