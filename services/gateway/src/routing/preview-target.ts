// Where inside its sandbox a request at a preview goes: to the preview's port, whether or not it is declared, or to the API.
import { GatewayError } from '../errors.ts';
import type { Preview } from './preview.ts';
import type { NamedPreview, Workload } from './route.ts';
import { type SandboxRules, type Target, targetOf } from './target.ts';

/** Of the API these change the machine itself: they are for members alone (sandbox sheet U-15). In any spelling that anybody might take for them. */
const membersForm = /^\/+(?:upgrade|environment\/+reload|network\/+tunnel)/i;

/** Throws a GatewayError for a place that nobody may call. */
export function previewTarget(
  { port }: Pick<Preview, 'port'>,
  named: NamedPreview,
  workload: Pick<Workload, 'kind' | 'ports'>,
  rules: SandboxRules,
): Target {
  if (port !== undefined) return { path: named.path, port, prefix: undefined };
  if (membersForm.test(named.path)) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A preview gives the files and processes of the sandbox, and not the upkeep of it.',
      action: 'Call this path at metadata.url of the sandbox, with an API key.',
    });
  }
  return targetOf(named, workload, rules);
}
