// `?async=true` at the address of an agent asks for an asynchronous call. Control-plane sheet 4.4.
import { GatewayError } from '../errors/gateway-error.ts';
import type { ServedKind } from '../workloads/workload.ts';

const parameter = 'async=true';

const onlyAgents = new GatewayError('BAD_REQUEST', {
  message: 'Only agents can be called asynchronously.',
  action: 'Send the request without async=true, or put an agent in front.',
});

/**
 * The parameter belongs to the gateway, so the agent does not see it. Paths of a sandbox belong to the programs inside: they
 * may have a parameter of this name.
 */
export function asksForAsync(kind: ServedKind, path: string): boolean {
  if (kind === 'sandbox' || !path.includes(parameter) || !parametersOf(path).includes(parameter)) return false;
  if (kind !== 'agent') throw onlyAgents;
  return true;
}

export function withoutAsync(path: string): string {
  const at = path.indexOf('?');
  if (at === -1) return path;
  const others = parametersOf(path).filter((each) => each !== parameter);
  return path.slice(0, at) + (others.length === 0 ? '' : `?${others.join('&')}`);
}

const parametersOf = (path: string): string[] => {
  const at = path.indexOf('?');
  return at === -1 ? [] : path.slice(at + 1).split('&');
};
