// Destination of a request inside its workload. Agents and functions have one port for all requests. A sandbox has the
// API inside it, and below `/port/{n}` its own ports (sandbox sheet 2.12, U-17). Paths are never decoded.
import { GatewayError } from '../errors/gateway-error.ts';
import { withoutTerminalToken } from '../workloads/terminal-token.ts';
import type { Workload } from '../workloads/workload.ts';
import { pathBase } from './by-path.ts';
import type { Route } from './route.ts';

export interface Target {
  /** Path exactly as the workload shall receive it, byte for byte. */
  readonly path: string;
  /** Undefined means the instance's main port. */
  readonly port: number | undefined;
  /** Prefix removed from the path, as the client wrote it. */
  readonly prefix: string | undefined;
}

export interface SandboxRules {
  /** Policy for ports that the owner has not declared. */
  readonly undeclaredPorts: 'refuse' | 'allow';
}

/** These ports are reached in another way, or belong to the system; sandbox sheet 1.1. */
const reservedPorts: ReadonlyMap<number, string> = new Map([
  [80, 'Port 80 belongs to the system. Let the server listen on another port, and declare that in spec.runtime.ports.'],
  [443, 'Port 443 stands for the API of the sandbox. Call it without /port/443.'],
  [8080, 'Port 8080 is the API of the sandbox. Call it without /port/8080.'],
]);

const portForm = /^\/port\/([^/?]*)(.*)$/s;
/**
 * Guest paths reserved for the runner, which signs its calls. Matches every spelling that a server might accept for
 * them.
 */
const runnersForm = /^\/+control(?:[/?%]|$)/i;

/** Throws a GatewayError for a path or port that may not be called. */
export function targetOf(route: Route, workload: Pick<Workload, 'kind' | 'ports'>, rules: SandboxRules): Target {
  const { path } = route;
  if (workload.kind !== 'sandbox') return { path, port: undefined, prefix: undefined };
  const [, digits, rest = ''] = portForm.exec(path) ?? [];
  if (digits === undefined) return apiTarget(path);
  const port = portIn(digits);
  refuseForbidden(port, workload.ports, rules);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, port, prefix: `${pathBase(route)}/port/${digits}` };
}

function apiTarget(path: string): Target {
  if (runnersForm.test(path)) {
    throw new GatewayError('ROUTE_NOT_FOUND', {
      message: 'Paths below /control are for the machine that runs the sandbox. Use the other paths of its API.',
    });
  }
  return { path: withoutTerminalToken(path), port: undefined, prefix: undefined };
}

function portIn(digits: string): number {
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new GatewayError('BAD_REQUEST', { message: 'After /port/ comes a number from 1 to 65535.' });
}

function refuseForbidden(port: number, declared: readonly number[], { undeclaredPorts }: SandboxRules): void {
  const reserved = reservedPorts.get(port);
  if (reserved !== undefined) throw new GatewayError('FORBIDDEN', { message: reserved });
  if (undeclaredPorts === 'allow' || declared.includes(port)) return;
  throw new GatewayError('FORBIDDEN', {
    message: `Port ${port} is not declared. Add it to spec.runtime.ports of the sandbox, or create a preview for it.`,
  });
}
