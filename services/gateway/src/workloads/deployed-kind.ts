// What agents and functions have in common: revisions that are deployed, a share of traffic for each, and as many
// instances as requests need.
import { GatewayError } from '../errors/gateway-error.ts';
import type { HeaderRules } from '../http/forwarded-headers.ts';
import type { Traffic } from './workload.ts';
import type { WorkloadKind } from './workload-kind.ts';
import { readyEndpoints, sharedFields, type WorkloadRow } from './workload-row.ts';

export const deployedKind = {
  tokenInQuery: undefined,

  toWorkload: (row) => ({
    ...sharedFields(row, readyEndpoints(row)),
    isPublic: row.is_public,
    traffic: trafficOf(row),
  }),

  /** One port takes all requests. */
  targetOf: (path) => ({ path, port: undefined, prefix: undefined }),

  hasDemand: true,
  failedError: () =>
    new GatewayError('WORKLOAD_UNAVAILABLE', {
      message: 'The workload failed to start. Its events say why; it is tried again when it is deployed again.',
    }),
  awayError: undefined,

  timeouts: ({ timeouts: { totalSeconds, silentSeconds } }) => ({
    totalMs: totalSeconds * 1_000,
    silentMs: silentSeconds * 1_000,
  }),
  isUploadPart: () => false,
} as const satisfies Partial<WorkloadKind>;

const nothingWithheld: ReadonlySet<string> = new Set();

export const deployedHeaders = {
  withheld: () => nothingWithheld,
  addCaller(headers, names, { subject, subjectType }) {
    headers.push(names.subject, subject, names.subjectType, subjectType);
  },
} as const satisfies Partial<HeaderRules>;

function trafficOf(row: WorkloadRow): Traffic {
  // A revision that is both active and canary counts as active and takes all requests.
  const canary = row.canary === row.active ? undefined : (row.canary ?? undefined);
  return {
    active: row.active ?? undefined,
    canary,
    canaryPercent: canary === undefined ? 0 : row.canary_percent,
    stickySeconds: row.sticky_seconds,
  };
}
