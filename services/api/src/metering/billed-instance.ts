import type { BillingDimensionName } from '@berth/contract';
import { InstanceResource, type UsageInterval } from '@berth/contract/node';
import type { Database } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';

/** Account and resource that pay for an instance, and the time in which they do. */
export interface BilledInstance {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly workspace: string;
  readonly resourceType: string;
  readonly resourceName: string;
  readonly resourceUid: string;
  readonly dimension: BillingDimensionName;
  /** Undefined for a sandbox, whose memory may change while it runs. */
  readonly maxMemoryMb: number | undefined;
  readonly fromMs: number;
  /** End of the instance, or the present. */
  readonly toMs: number;
}

/** Kinds whose instances cost money; the billing metrics call a function an `mcp_server`. */
const billedKinds: Readonly<
  Record<string, { readonly resourceType: string; readonly dimension: BillingDimensionName }>
> = {
  agent: { resourceType: 'agent', dimension: 'agent_compute_runtime_gbs' },
  function: { resourceType: 'mcp_server', dimension: 'mcp_server_compute_runtime_gbs' },
  job: { resourceType: 'job', dimension: 'job_compute_runtime_gbs' },
  sandbox: { resourceType: 'sandbox', dimension: 'sandbox_compute_runtime_gbs' },
};

interface Row {
  readonly id: string;
  readonly accountId: string | null;
  readonly workspaceId: string | null;
  readonly workspace: string | null;
  readonly spec: unknown;
  readonly createdAt: Date;
  readonly endAt: Date;
}

const Spec = z.object({
  resource: InstanceResource.optional(),
  memoryMb: z.number().positive(),
  sandbox: z.unknown().optional(),
});

/** Instances of the runner among those of the intervals. An instance without an owner, or of a kind that is free, is left out. */
export async function loadBilledInstances(
  database: Database,
  runnerId: string,
  intervals: readonly UsageInterval[],
): Promise<ReadonlyMap<string, BilledInstance>> {
  const ids = [...new Set(intervals.map(({ instance }) => instance))];
  const { rows } = await sql<Row>`
    select id, account_id as "accountId", workspace_id as "workspaceId", workspace_name as workspace, spec,
      created_at as "createdAt", coalesce(ended_at, clock_timestamp()) as "endAt"
    from instances where runner_id = ${runnerId} and id = any(${ids}::uuid[])`.execute(database);
  return new Map(rows.flatMap((row) => billed(row) ?? []).map((instance) => [instance.id, instance]));
}

function billed({ id, accountId, workspaceId, workspace, spec, createdAt, endAt }: Row): BilledInstance | undefined {
  const { resource, memoryMb, sandbox } = Spec.parse(spec);
  const kind = resource === undefined ? undefined : billedKinds[resource.kind];
  if (resource === undefined || kind === undefined) return undefined;
  if (accountId === null || workspaceId === null || workspace === null) return undefined;
  return {
    ...{ id, accountId, workspaceId, workspace, ...kind },
    resourceName: resource.name,
    resourceUid: resource.uid,
    maxMemoryMb: sandbox === undefined ? memoryMb : undefined,
    fromMs: createdAt.getTime(),
    toMs: endAt.getTime(),
  };
}
