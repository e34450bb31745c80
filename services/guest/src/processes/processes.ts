import type { ProcessRequest, ProcessResponse } from '@berth/contract/guest';
import type { ProcessKey } from '../supervisor/supervisor.ts';

/**
 * Process operations for REST, MCP and the startup command. Names are unique among running processes, whichever of the
 * three started them.
 */
export type Processes = {
  /**
   * Resolves once the process runs. Faults: 400 for the name of a running process or an invalid request, 422 when it
   * cannot start.
   */
  start(request: ProcessRequest): Promise<ProcessHandle>;
  list(): readonly ProcessHandle[];
  /** All digits: by the shown pid; otherwise the newest process of that name. */
  find(identifier: string): ProcessHandle | undefined;
  /** Number of running processes that keep the sandbox awake. Derived from what runs, never counted up and down. */
  keepAliveHolds(): number;
};

export type ProcessHandle = {
  /** Includes the newest 64 KiB of each stream, but no output in the form `started`. */
  describe(form: 'started' | 'whole' | 'listed'): Promise<ProcessResponse>;
  isRunning(): boolean;
  /** Identity of the newest attempt: the kernel's pid, not the one shown. */
  identity(): { pid: number; key: ProcessKey; startTicks: number };
  /** Resolves when the process has ended for good, restarts included, with its output drained. */
  ended(): Promise<void>;
  /** Resolves when every port is served or `until` aborts; throws a Fault when the process ends before that. */
  portsReady(ports: readonly number[], until?: AbortSignal): Promise<void>;
  /** The newest `maxBytes` of both streams in the order of writing, with a line before them when there was more. */
  newestLogs(maxBytes: number): string;
  /** True when the process was killed because its own time was up. */
  isTimedOut(): boolean;
  /** False when the process is not running. */
  stop(graceSeconds?: number): boolean;
  kill(): boolean;
};
