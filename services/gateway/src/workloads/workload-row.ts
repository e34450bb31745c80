// Row of the workload query, and the parts of a workload that all kinds read from it in the same way.
import { z } from 'zod';
import { type Endpoint, servedKinds, type Workload } from './workload.ts';

export const WorkloadRow = z.object({
  uid: z.string(),
  kind: z.enum(servedKinds),
  name: z.string(),
  workspace_id: z.string(),
  workspace: z.string(),
  is_public: z.boolean(),
  is_enabled: z.boolean(),
  is_failed: z.boolean(),
  active: z.string().nullable(),
  canary: z.string().nullable(),
  canary_percent: z.number(),
  sticky_seconds: z.number(),
  ports: z.array(z.int()),
  is_away: z.boolean(),
  ends_in_ms: z.number().nullable(),
  endpoints: z.array(
    z.object({
      instance: z.string(),
      revision: z.string(),
      runnerId: z.string(),
      address: z.string().nullable(),
      secret: z.string().nullable(),
    }),
  ),
});
export type WorkloadRow = z.infer<typeof WorkloadRow>;

export const readyEndpoints = (row: WorkloadRow): Endpoint[] =>
  row.endpoints.map(({ address, secret, ...endpoint }) => ({
    ...endpoint,
    ingress: address === null ? undefined : { address, ...(secret === null ? {} : { secret }) },
  }));

export const sharedFields = (
  row: WorkloadRow,
  endpoints: readonly Endpoint[],
): Omit<Workload, 'isPublic' | 'traffic'> => ({
  uid: row.uid,
  kind: row.kind,
  name: row.name,
  workspaceId: row.workspace_id,
  workspace: row.workspace,
  isEnabled: row.is_enabled,
  isFailed: row.is_failed,
  endpoints,
  ports: row.ports,
  isAway: row.is_away && endpoints.length === 0,
  endsInMs: row.ends_in_ms ?? undefined,
});
