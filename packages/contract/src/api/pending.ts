// Operations of the interface that are not served yet, each with its reason. Their addresses are answered like any
// unknown address; together with `operations` they are the whole interface (control-plane sheet 1.1 to 1.18).
import type { Method } from './operation.ts';

export type PendingTopic =
  | 'custom domain sharing'
  | 'image sharing'
  | 'management MCP'
  | 'OAuth'
  | 'sandbox schedules'
  | 'sandbox snapshots';

export interface PendingOperation {
  readonly method: Method | 'ANY';
  readonly path: string;
  readonly topic: PendingTopic;
  readonly reason: string;
}

interface PendingGroup {
  readonly topic: PendingTopic;
  readonly reason: string;
  readonly addresses: readonly (readonly [PendingOperation['method'], string])[];
}

const sandbox = '/sandboxes/{sandboxName}';
const domain = '/customdomains/{domainName}';
const image = '/images/{resourceType}/{imageName}';

const groups: readonly PendingGroup[] = [
  {
    topic: 'sandbox snapshots',
    reason: 'No runner copies the state of a sandbox yet.',
    addresses: [
      ['POST', `${sandbox}/fork`],
      ['GET', `${sandbox}/snapshots`],
      ['POST', `${sandbox}/snapshots`],
      ['DELETE', `${sandbox}/snapshots/{snapshotId}`],
    ],
  },
  {
    topic: 'sandbox schedules',
    reason: 'Nothing starts commands inside a sandbox by the clock yet.',
    addresses: [
      ['GET', `${sandbox}/schedule-executions`],
      ['GET', `${sandbox}/schedules`],
      ['POST', `${sandbox}/schedules`],
      ['GET', `${sandbox}/schedules/{scheduleId}`],
      ['PUT', `${sandbox}/schedules/{scheduleId}`],
      ['DELETE', `${sandbox}/schedules/{scheduleId}`],
    ],
  },
  {
    topic: 'custom domain sharing',
    reason: 'A domain belongs to one workspace; nothing copies it to others yet.',
    addresses: [
      ['GET', `${domain}/share`],
      ['POST', `${domain}/share`],
      ['DELETE', `${domain}/share/{targetWorkspace}`],
    ],
  },
  {
    topic: 'image sharing',
    reason: 'Sharing needs a registry that holds images built here; there is none yet.',
    addresses: [
      ['GET', '/pending-image-shares'],
      ['POST', '/pending-image-shares/{pendingShareId}/accept'],
      ['POST', '/pending-image-shares/{pendingShareId}/decline'],
      ['GET', `${image}/share`],
      ['POST', `${image}/share`],
      ['DELETE', `${image}/share/{targetWorkspace}`],
    ],
  },
  {
    topic: 'management MCP',
    reason: 'Its clients sign in with OAuth, which is not served yet.',
    addresses: [['ANY', '/mcp']],
  },
  {
    topic: 'OAuth',
    reason: 'API keys are the only credential so far.',
    addresses: [
      ['GET', '/.well-known/openid-configuration'],
      ['GET', '/oauth/authorize'],
      ['POST', '/oauth/authorize'],
      ['POST', '/oauth/token'],
      ['POST', '/login/device'],
    ],
  },
];

export const pendingOperations: readonly PendingOperation[] = groups.flatMap(({ topic, reason, addresses }) =>
  addresses.map(([method, path]) => ({ method, path, topic, reason })),
);
