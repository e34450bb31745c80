import type { HeaderNames } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Authenticator, CallerLimits, DriveTokens, Keyring } from '@berth/identity';
import type { PlacementConfig } from '@berth/placement';
import type { Usage } from '@berth/usage';
import type { AccountSettingsCache } from './accounts/settings.ts';
import type { ApiConfig } from './config.ts';
import type { ConnectionShares } from './http/connection-shares.ts';
import type { LargeBodies } from './http/large-bodies.ts';
import type { DeploymentWatch } from './sandboxes/deployment-watch.ts';
import type { RunnerCalls } from './sandboxes/runner-calls.ts';

/** What handlers reach beside their call; made once at start. */
export interface Dependencies {
  readonly config: ApiConfig;
  readonly headers: HeaderNames;
  readonly database: Database;
  readonly authenticator: Authenticator;
  readonly callers: CallerLimits;
  readonly accounts: AccountSettingsCache;
  readonly keyring: Keyring;
  readonly driveTokens: DriveTokens;
  readonly connectionShares: ConnectionShares;
  /** For listings that read many rows to fill a page: an account reads one at a time. */
  readonly longListings: ConnectionShares;
  readonly largeBodies: LargeBodies;
  /** Absent in a deployment without ClickHouse. */
  readonly usage: Usage | undefined;
  /** Host without the version prefix; `baseUrl` is with it. */
  readonly apiUrl: string;
  readonly baseUrl: string;
  /** Tells whoever does the work that follows a write that some waits. */
  readonly ringOutbox: () => void;
  /** Tells gateways that requests to a resource, or to any, may have to go elsewhere. */
  readonly ringRoutes: (resourceUid?: string) => void;
  /** Tells the stream of a runner that its instances have changed. */
  readonly ringInstances: (runnerId: string) => void;
  /** Where instances run and what they get. */
  readonly placement: PlacementConfig;
  readonly deployments: DeploymentWatch;
  readonly runners: RunnerCalls;
  readonly now: () => number;
}
