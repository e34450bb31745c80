// What the guest asks of the native helper (native/PROTOCOL.md). The helper is the parent of every process and outlives
// the guest, so what is said here is true across a restart of the guest.

/** Sixteen characters, chosen by the guest before it asks for the process. Never used twice. */
export type ProcessKey = string;

export type SpawnWish = {
  /** Program first. It is looked for in PATH of `env`. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  workingDirectory: string;
  /** Exists, belongs to this process alone; the helper writes the segments of its output there. */
  logFolder: string;
  /** How much of each of the three logs is kept; 0 = all. */
  mostLogBytes: number;
  /** Closed and empty, a pipe that `write` feeds, or a terminal. */
  input: 'none' | 'pipe' | { cols: number; rows: number };
};

/** Logical lengths: bytes ever written, also those that are no longer kept. */
export type LogEnds = { stdout: number; stderr: number; all: number };

export type ProcessRecord = {
  key: ProcessKey;
  pid: number;
  /** From /proc, in clock ticks: tells a process from a later one with the same number. */
  startTicks: number;
  ends: LogEnds;
  /** Set once it has ended and everything it wrote until then is in its log. */
  exit: { code: number; signal: number } | undefined;
  /** It has ended, and no descendant is left that could write more: nothing is lost by forgetting it. */
  isSettled: boolean;
};

export type SpawnFailure = { stage: 'folder' | 'program' | 'log' | 'fork'; errno: number };

export type Supervisor = {
  /** Resolves when the helper has told everything that an earlier guest left. */
  ready: Promise<void>;
  /** Everything the helper knows, also what an earlier guest started. */
  records(): readonly ProcessRecord[];
  record(key: ProcessKey): ProcessRecord | undefined;
  spawn(key: ProcessKey, wish: SpawnWish): Promise<ProcessRecord | SpawnFailure>;
  /** To the whole process group. False when it has ended. */
  signal(key: ProcessKey, signal: number): boolean;
  /** Resolves when the process has been handed the bytes. False when it reads no more. */
  write(key: ProcessKey, bytes: Buffer): Promise<boolean>;
  endInput(key: ProcessKey): void;
  resize(key: ProcessKey, cols: number, rows: number): void;
  limitLog(key: ProcessKey, mostBytes: number): void;
  /**
   * Resolves when the log `all` is longer than `past`, or the process has ended; at once if so already, and when `until` aborts:
   * a reader that leaves must say so, or a silent process would collect the readers it once had.
   */
  output(key: ProcessKey, past: number, until?: AbortSignal): Promise<ProcessRecord>;
  /** What the helper knows now of a process that has ended; undefined when it was forgotten. */
  refresh(key: ProcessKey): Promise<ProcessRecord | undefined>;
  onExit(listener: (record: ProcessRecord) => void): void;
  /** Drops the record of an ended process. Its files stay: they are the guest's to delete. */
  forget(key: ProcessKey): void;
};
