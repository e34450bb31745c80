// A sandbox has one instance, which can sleep and has no revisions. Requests reach the API inside it, and below
// `/port/{n}` its own ports (sandbox sheet 2.12, U-17).
import { publicSandboxApiPort, systemPort } from '@berth/contract';
import { guestPort } from '@berth/contract/guest';
import { GatewayError } from '../errors/gateway-error.ts';
import type { SandboxRules, Target } from './target.ts';
import { terminalToken, withoutTerminalToken } from './terminal-token.ts';
import type { Traffic } from './workload.ts';
import type { WorkloadKind } from './workload-kind.ts';
import { readyEndpoints, sharedFields } from './workload-row.ts';

/** These ports are reached in another way, or belong to the system; sandbox sheet 1.1. */
const reservedPorts: ReadonlyMap<number, string> = new Map([
  [
    systemPort,
    `Port ${systemPort} belongs to the system. Let the server listen on another port, and declare that in spec.runtime.ports.`,
  ],
  [
    publicSandboxApiPort,
    `Port ${publicSandboxApiPort} stands for the API of the sandbox. Call it without /port/${publicSandboxApiPort}.`,
  ],
  [guestPort, `Port ${guestPort} is the API of the sandbox. Call it without /port/${guestPort}.`],
]);

const portForm = /^\/port\/([^/?]*)(.*)$/s;
/**
 * Guest paths reserved for the runner, which signs its calls. Matches every spelling that a server might accept for
 * them.
 */
const runnersForm = /^\/+control(?:[/?%]|$)/i;

/**
 * The API inside a sandbox falls back to the subject headers when the branded ones are missing, so clients may not set
 * them.
 */
const withheldFromApi: ReadonlySet<string> = new Set(['authorization', 'x-subject-id', 'x-subject-type']);
const nothingWithheld: ReadonlySet<string> = new Set();
const partForm = /^\/filesystem-multipart\/[^/?]+\/part\/?(?:\?|$)/;
/** A machine that is not back within the hold time will not be back within a second, the default for Retry-After. */
const awayRetrySeconds = 5;

export const sandboxKind: WorkloadKind = {
  pathSegment: 'sandboxes',
  labelPrefix: 'sbx-',
  callScope: 'sandboxes:call',
  tokenInQuery: terminalToken,

  toWorkload(row) {
    // While an old instance is being replaced, the newest one is used.
    const endpoints = readyEndpoints(row)
      .slice(-1)
      .map((endpoint) => ({ ...endpoint, canSleep: true }));
    return { ...sharedFields(row, endpoints), isPublic: false, traffic: allTo(endpoints.at(0)?.revision) };
  },

  targetOf(path, workload, rules) {
    const [, digits, rest = ''] = portForm.exec(path) ?? [];
    if (digits === undefined) return apiTarget(path);
    const port = portIn(digits);
    refuseForbidden(port, workload.ports, rules);
    return { path: rest.startsWith('/') ? rest : `/${rest}`, port, prefix: `/port/${digits}` };
  },
  headers: {
    keepsThreadId: false,
    withheld: (port) => (port === undefined ? withheldFromApi : nothingWithheld),
    addCaller(headers, names, { subject, subjectType }) {
      headers.push(names.subjectId, subject, names.subjectType, subjectType, names.authMethod, 'api_key');
    },
  },
  sessionHeader: undefined,

  // The single instance is either starting or away, under any load.
  hasDemand: false,
  failedError: () =>
    new GatewayError('WORKLOAD_UNAVAILABLE', {
      message: 'The sandbox has failed. Its events say why.',
      action: 'Read the events of the sandbox, then create it again under the same name.',
      doNot: 'Do not retry before that.',
    }),
  awayError: () =>
    new GatewayError('WORKLOAD_UNAVAILABLE', {
      message: 'The machine that holds the sandbox is away. The sandbox is kept, and answers when its machine is back.',
      retryAfterSeconds: awayRetrySeconds,
    }),

  timeouts: ({ sandboxes }) => ({ totalMs: undefined, silentMs: sandboxes.silentSeconds * 1_000 }),
  isUploadPart: (method, path, port) => port === undefined && method === 'PUT' && partForm.test(path),
};

const allTo = (active: string | undefined): Traffic => ({
  active,
  canary: undefined,
  canaryPercent: 0,
  stickySeconds: 0,
});

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
