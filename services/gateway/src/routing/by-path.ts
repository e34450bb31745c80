// `/{workspace}/agents/{name}[/rest]` and `/{workspace}/functions/{name}[/rest]`. Control-plane sheet 1.19.
import type { Resolver } from './resolver.ts';
import type { Named } from './route.ts';

const form = /^\/([^/?]*)\/(agents|functions)\/([^/?]*)(.*)$/s;

/**
 * Names are taken as they stand: one that is percent-encoded is no name of ours, and is looked for in vain like any other.
 * So a caller without a credential learns nothing from how a name is spelled.
 */
export const byPath: Resolver = {
  name: 'path',
  resolve({ rawTarget }): Named | undefined {
    const [, workspace, segment, name, rest] = form.exec(rawTarget) ?? [];
    if (workspace === undefined || name === undefined || rest === undefined) return undefined;
    const kind = segment === 'agents' ? 'agent' : 'function';
    return { by: 'path', workspace, kind, name, path: rest.startsWith('/') ? rest : `/${rest}` };
  },
};
