import type { ProcessRequest, ProcessResponse } from '@berth/contract/guest';
import type { ProcessKey } from '../supervisor/supervisor.ts';

/** What REST, MCP and the startup command do with processes. Names are unique among the running ones through any of them. */
export type Processes = {
  /** Resolves once it runs. Faults: 400 for a running name or a bad wish, 422 when it cannot start. */
  start(wish: ProcessRequest): Promise<ManagedProcess>;
  list(): readonly ManagedProcess[];
  /** All digits: by the pid shown; else the newest of that name. */
  find(identifier: string): ManagedProcess | undefined;
  /** How many running processes forbid sleep. Derived from what runs, never counted up and down. */
  keepAliveHolds(): number;
};

export type ManagedProcess = {
  /** Of output: the newest 64 KiB of each stream, or nothing. */
  describe(form: 'started' | 'whole' | 'listed'): Promise<ProcessResponse>;
  isRunning(): boolean;
  /** Of its newest run: the pid that the kernel knows, not the one shown. */
  identity(): { pid: number; key: ProcessKey; startTicks: number };
  /** Resolves when it has ended for good, restarts included, with its output drained. */
  ended(): Promise<void>;
  /** Resolves when every port is served, or `until` aborts; a Fault when it ends before that. */
  portsReady(ports: readonly number[], until?: AbortSignal): Promise<void>;
  /** Both streams in the order of writing: the newest so many bytes, with a line before them when there was more. */
  newestLogs(mostBytes: number): string;
  /** Its own time was over, so it was killed. */
  isTimedOut(): boolean;
  /** False when it is not running. */
  stop(graceSeconds?: number): boolean;
  kill(): boolean;
};
