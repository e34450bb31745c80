// Destination of a preview request inside its sandbox: the preview's port, whether or not it is declared, or the API.
import { GatewayError } from '../errors/gateway-error.ts';
import type { Preview } from '../routing/preview.ts';
import type { PreviewRoute } from '../routing/route.ts';
import { targetOf } from '../routing/target.ts';
import type { SandboxRules, Target } from '../workloads/target.ts';
import type { Workload } from '../workloads/workload.ts';

/**
 * API paths that change the machine itself, for members only (sandbox sheet U-15). Matches every spelling that a server
 * might accept for them.
 */
const membersForm = /^\/+(?:upgrade|environment\/+reload|network\/+tunnel)/i;

/** Throws a GatewayError for a path that may not be called through a preview. */
export function previewTarget(
  { port }: Pick<Preview, 'port'>,
  route: PreviewRoute,
  workload: Pick<Workload, 'kind' | 'ports'>,
  rules: SandboxRules,
): Target {
  if (port !== undefined) return { path: route.path, port, prefix: undefined };
  if (membersForm.test(route.path)) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A preview gives the files and processes of the sandbox, and not the upkeep of it.',
      action: 'Call this path at metadata.url of the sandbox, with an API key.',
    });
  }
  return targetOf(route, workload, rules);
}
