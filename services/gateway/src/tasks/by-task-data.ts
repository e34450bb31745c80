// Address form `/-/tasks/{token}` on the gateway's own hosts, where a task reads its arguments. On any other host the
// path belongs to the workload of that host.
import type { IncomingMessage } from 'node:http';
import { taskDataPath } from '@berth/jobs';
import { hostHeader, hostIn } from '../routing/host.ts';
import type { ResolverSettings } from '../routing/resolver.ts';

/** Token in a request for task arguments, not checked yet; undefined for every other request. */
export function taskDataTokenIn(
  { url = '/', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>,
  { isOwnHost }: Pick<ResolverSettings, 'isOwnHost'>,
): string | undefined {
  // Requests to workloads end here, so they pay for nothing more.
  if (!url.startsWith(taskDataPath)) return undefined;
  const host = hostIn(hostHeader(rawHeaders));
  if (host === undefined || !isOwnHost(host)) return undefined;
  const end = url.indexOf('?');
  return url.slice(taskDataPath.length, end === -1 ? undefined : end);
}
