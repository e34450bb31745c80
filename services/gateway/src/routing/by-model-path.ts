// Address form `/{workspace}/models/{name}[/rest]`, on the gateway's own hosts. Control-plane sheet 1.19.
import type { Resolver } from './resolver.ts';
import type { ModelRoute } from './route.ts';

const form = /^\/([^/?]*)\/models\/([^/?]*)(.*)$/s;

/** Part of the path that names the model, as the client wrote it. Empty on a host of its own. */
export const modelPathBase = ({ address }: ModelRoute): string =>
  'name' in address ? `/${address.workspace}/models/${address.name}` : '';

/** Names are not decoded, like those of workloads. */
export const byModelPath: Resolver = {
  name: 'model path',
  resolve({ host, rawTarget }, { isOwnHost }) {
    if (!isOwnHost(host)) return undefined;
    const [, workspace, name, rest] = form.exec(rawTarget) ?? [];
    if (workspace === undefined || name === undefined || rest === undefined) return undefined;
    return { by: 'model', address: { workspace, name }, path: rest.startsWith('/') ? rest : `/${rest}` };
  },
};
