// Address form `/{workspace}/{path}` on the gateway's own hosts, where `path` begins with that of a trigger. Control-plane sheet
// 1.19.
import { isReservedSegment, possibleTriggerPaths } from '@berth/contract';
import type { Resolver } from './resolver.ts';

const form = /^\/([^/?-][^/?]*)\/(([^/?]+)[^?]*)/;

/** Paths are not decoded, like names of workloads: a path that no trigger can have is looked up in vain. */
export const byTriggerPath: Resolver = {
  name: 'trigger path',
  resolve({ host, rawTarget }, { isOwnHost }) {
    if (!isOwnHost(host)) return undefined;
    const [, workspace, path, first] = form.exec(rawTarget) ?? [];
    if (workspace === undefined || path === undefined || first === undefined) return undefined;
    if (isReservedSegment(first)) return undefined;
    const name = possibleTriggerPaths(path).at(-1) ?? path;
    const target = rawTarget.slice(workspace.length + 2);
    return { by: 'trigger', workspace, name, isWhole: name === path, target };
  },
};
