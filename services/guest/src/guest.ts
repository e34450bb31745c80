import type { Activity } from './activity.ts';
import type { LiveEnvironment } from './live-environment.ts';
import type { GuestLog } from './log.ts';
import type { Processes } from './processes/processes.ts';
import type { Settings } from './settings.ts';
import type { Supervisor } from './supervisor/supervisor.ts';

/** Context of every handler. One per guest. */
export type Guest = {
  /** Replaced with each generation of variables: read it when needed, keep no copy. */
  settings: Settings;
  /** Variables that new processes inherit. */
  environment: LiveEnvironment;
  activity: Activity;
  log: GuestLog;
  /** The native helper that starts, feeds, records and reaps processes. */
  supervisor: Supervisor;
  /** Loaded on first use, or at start when processes of an earlier guest are still there. */
  processes(): Promise<Processes>;
  /** Aborts when the guest stops: ends watchers, timers and the bookkeeping of terminals. */
  stopping: AbortSignal;
};
