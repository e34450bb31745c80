import type { HeaderNames } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Authenticator, CallerLimits, DriveTokens, Keyring } from '@berth/identity';
import type { PlacementConfig } from '@berth/instances';
import type { Usage } from '@berth/usage';
import type { ApiConfig } from './config.ts';
import type { AccountSettingsCache } from './http/account-settings.ts';
import type { ConnectionShares } from './http/connection-shares.ts';
import type { LargeBodies } from './http/large-bodies.ts';
import type { ProviderCalls } from './integrations/provider-calls.ts';
import type { LogWaits } from './logs/log-waits.ts';
import type { DeploymentWatch } from './sandboxes/deployment-watch.ts';
import type { RunnerCalls } from './sandboxes/runner-calls.ts';

/** Everything handlers use besides their call; created once at start. */
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
  /** Limit for listings that read many rows to fill a page: one such listing at a time per account. */
  readonly longListings: ConnectionShares;
  readonly largeBodies: LargeBodies;
  /** Absent in a deployment without ClickHouse. */
  readonly usage: Usage | undefined;
  /** API address without the version prefix; `baseUrl` includes it. */
  readonly apiUrl: string;
  readonly baseUrl: string;
  /** Notifies the relay that the outbox has new rows. */
  readonly notifyOutbox: () => void;
  /** Notifies gateways that the route of a resource, or of all resources without a uid, may have changed. */
  readonly notifyRoutes: (resourceUid?: string) => void;
  /** Notifies the stream of a runner that its instances have changed. */
  readonly notifyInstances: (runnerId: string) => void;
  /** Configuration of placement: where instances run and which resources they get. */
  readonly placement: PlacementConfig;
  readonly deployments: DeploymentWatch;
  readonly runners: RunnerCalls;
  readonly providers: ProviderCalls;
  readonly logWaits: LogWaits;
  readonly now: () => number;
}
