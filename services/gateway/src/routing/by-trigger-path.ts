// Address form `/{workspace}/{path}` on the gateway's own hosts, where `path` is that of a trigger. Control-plane sheet
// 1.19.
import { isReservedSegment } from '@berth/contract';
import type { Resolver } from './resolver.ts';

const form = /^\/([^/?-][^/?]*)\/(([^/?]+)[^?]*)/;

/** Paths are not decoded, like names of workloads: a path that no trigger can have is looked up in vain. */
export const byTriggerPath: Resolver = {
  name: 'trigger path',
  resolve({ host, rawTarget }, { isOwnHost }) {
    if (!isOwnHost(host)) return undefined;
    const [, workspace, name, first] = form.exec(rawTarget) ?? [];
    if (workspace === undefined || name === undefined || first === undefined) return undefined;
    return isReservedSegment(first) ? undefined : { by: 'trigger', workspace, name };
  },
};
