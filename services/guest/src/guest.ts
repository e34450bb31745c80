import type { Activity } from './activity.ts';
import type { LiveEnvironment } from './live-environment.ts';
import type { GuestLog } from './log.ts';
import type { Processes } from './processes/processes.ts';
import type { Settings } from './settings.ts';
import type { Supervisor } from './supervisor/supervisor.ts';

/** What every handler may use. One per guest. */
export type Guest = {
  /** Read again with each generation of variables: ask for what you need when you need it. */
  settings: Settings;
  /** What new processes inherit. */
  environment: LiveEnvironment;
  activity: Activity;
  log: GuestLog;
  /** The native helper that starts, feeds, records and reaps processes. */
  supervisor: Supervisor;
  /** Loaded when first asked for, and when processes of an earlier guest are still there. */
  processes(): Promise<Processes>;
  /** Ends watchers, timers and terminals' bookkeeping when the guest is told to stop. */
  stopping: AbortSignal;
};
