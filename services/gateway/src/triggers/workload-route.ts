import type { Route, TriggerRoute } from '../routing/route.ts';
import type { FoundTrigger } from '../routing/trigger.ts';
import type { ServedKind } from '../workloads/workload.ts';

/** A trigger that calls a workload. */
export interface CallingTrigger extends FoundTrigger {
  readonly kind: Extract<ServedKind, FoundTrigger['kind']>;
}

export const isCalling = (trigger: FoundTrigger): trigger is CallingTrigger => trigger.kind !== 'job';

/** The workload behind the path of a trigger. It sees the rest of the address, at least `/`. */
export function workloadRoute(
  route: TriggerRoute,
  { kind, name, workspaceId, path }: CallingTrigger,
): Extract<Route, { by: 'path' }> {
  const rest = route.target.slice(path.length);
  return {
    by: 'path',
    workspace: workspaceId,
    kind,
    name,
    path: rest.startsWith('/') ? rest : `/${rest}`,
    via: { route, base: `/${route.workspace}/${path}` },
  };
}
