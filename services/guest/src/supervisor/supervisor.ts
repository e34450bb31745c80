// Interface between the guest and the native helper (native/PROTOCOL.md). The helper is the parent of every process and
// outlives the guest, so its records stay valid across a restart of the guest.

/** Sixteen characters, chosen by the guest before it spawns the process. Never used twice. */
export type ProcessKey = string;

export type SpawnRequest = {
  /** Program first; it is searched in the PATH of `env`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  workingDirectory: string;
  /** Existing folder for this process alone; the helper writes the files of its output there. */
  logFolder: string;
  /** Bytes kept of each of the three logs; 0 = all. */
  maxLogBytes: number;
  /** No input, a pipe that `write` feeds, or a terminal. */
  input: 'none' | 'pipe' | { cols: number; rows: number };
};

/** Logical lengths: all bytes ever written, including bytes that are no longer kept. */
export type LogEnds = { stdout: number; stderr: number; all: number };

export type ProcessRecord = {
  key: ProcessKey;
  pid: number;
  /** From /proc, in clock ticks: distinguishes a process from a later one with the same pid. */
  startTicks: number;
  ends: LogEnds;
  /** Set once the process has ended and everything it wrote until then is in its log. */
  exit: { code: number; signal: number } | undefined;
  /** The process has ended and no descendant is left that could write more: nothing is lost by forgetting it. */
  isSettled: boolean;
};

export type SpawnFailure = { stage: 'folder' | 'program' | 'log' | 'fork'; errno: number };

export type Supervisor = {
  /** Resolves when the helper has sent the records of all processes that an earlier guest left. */
  ready: Promise<void>;
  /** All records of the helper, also of processes that an earlier guest started. */
  records(): readonly ProcessRecord[];
  record(key: ProcessKey): ProcessRecord | undefined;
  spawn(key: ProcessKey, request: SpawnRequest): Promise<ProcessRecord | SpawnFailure>;
  /** Signals the whole process group. False when the process has ended. */
  signal(key: ProcessKey, signal: number): boolean;
  /** Resolves when the bytes have been handed to the process. False when it reads no more. */
  write(key: ProcessKey, bytes: Buffer): Promise<boolean>;
  endInput(key: ProcessKey): void;
  resize(key: ProcessKey, cols: number, rows: number): void;
  limitLog(key: ProcessKey, maxBytes: number): void;
  /**
   * Resolves when the log `all` is longer than `past` or the process has ended; at once if that is already so. Also
   * resolves when `until` aborts: a reader that leaves must abort, or a silent process would collect the readers it
   * once had.
   */
  output(key: ProcessKey, past: number, until?: AbortSignal): Promise<ProcessRecord>;
  /** The helper's current record of an ended process; undefined when it was forgotten. */
  refresh(key: ProcessKey): Promise<ProcessRecord | undefined>;
  onExit(listener: (record: ProcessRecord) => void): void;
  /** Drops the record of an ended process. Its files stay: the guest deletes them. */
  forget(key: ProcessKey): void;
};
