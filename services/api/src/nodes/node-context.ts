import type { Database } from '@berth/database';
import type { Keyring, NodeAuthority } from '@berth/identity';
import type { Logger } from '@berth/telemetry';
import type { Dependencies } from '../dependencies.ts';
import type { ObserveStart } from './start-metrics.ts';
import type { ChangeWatch } from './watch-changes.ts';

/** State shared by the parts of the node listener. */
export interface NodeContext {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly authority: NodeAuthority;
  readonly changes: ChangeWatch;
  readonly observeStart: ObserveStart;
  readonly onLogsDropped: (bytes: number) => void;
  readonly dependencies: Dependencies;
  readonly logger: Logger;
}
