import type { Admitted } from '../access/admitted.ts';
import { previewTarget } from '../previews/preview-target.ts';
import type { Route } from '../routing/route.ts';
import { targetOf } from '../routing/target.ts';
import type { SandboxRules, Target } from '../workloads/target.ts';
import type { RequestContext } from './request-context.ts';

/** Finds the destination inside the workload. Throws a GatewayError for a path or port that may not be called. */
export function findTarget(
  route: Route,
  { workload, preview }: Admitted,
  rules: SandboxRules,
  context: RequestContext,
): Target {
  const target =
    preview === undefined
      ? targetOf(route, workload, rules)
      : previewTarget(preview.preview, preview.route, workload, rules);
  context.target = target;
  if (target.port !== undefined) context.event.add({ port: target.port });
  return target;
}
