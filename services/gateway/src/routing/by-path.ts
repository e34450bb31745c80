// Address form `/{workspace}/agents/{name}[/rest]`, and the same with `functions` and `sandboxes`, on the gateway's own
// hosts. Control-plane sheet 1.19.

import { type ServedKind, servedKinds } from '../workloads/workload.ts';
import { workloadKinds } from '../workloads/workload-kinds.ts';
import type { Resolver } from './resolver.ts';
import type { Route } from './route.ts';

const kinds = new Map<string | undefined, ServedKind>(
  servedKinds.map((kind) => [workloadKinds[kind].pathSegment, kind]),
);
const form = new RegExp(`^/([^/?]*)/(${[...kinds.keys()].join('|')})/([^/?]*)(.*)$`, 's');

/** Part of the path that names the workload, as the client wrote it. Empty for other forms of address. */
export function pathBase(route: Route): string {
  if (route.by !== 'path') return '';
  return route.via?.base ?? `/${route.workspace}/${workloadKinds[route.kind].pathSegment}/${route.name}`;
}

/**
 * Names are not decoded: a percent-encoded name does not exist and is looked up in vain like any other. A caller
 * without a credential therefore learns nothing from the spelling of a name.
 */
export const byPath: Resolver = {
  name: 'path',
  resolve({ host, rawTarget }, { isOwnHost }): Route | undefined {
    if (!isOwnHost(host)) return undefined;
    const [, workspace, segment, name, rest] = form.exec(rawTarget) ?? [];
    const kind = kinds.get(segment);
    if (workspace === undefined || kind === undefined || name === undefined || rest === undefined) return undefined;
    return { by: 'path', workspace, kind, name, path: rest.startsWith('/') ? rest : `/${rest}` };
  },
};
