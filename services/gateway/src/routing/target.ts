import type { SandboxRules, Target } from '../workloads/target.ts';
import type { Workload } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import { pathBase } from './by-path.ts';
import type { Route } from './route.ts';

/** Destination of a request inside its workload. Throws a GatewayError for a path or port that may not be called. */
export function targetOf(route: Route, workload: Pick<Workload, 'kind' | 'ports'>, rules: SandboxRules): Target {
  const target = workloadKinds[workload.kind].targetOf(route.path, workload, rules);
  return target.prefix === undefined ? target : { ...target, prefix: pathBase(route) + target.prefix };
}
