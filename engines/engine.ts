export type StartOptions = {
  /** Belongs to this run alone; created when absent. */
  dataFolder: string;
  /** A free port is taken when left out. */
  port?: number;
  /** False skips durable writes for speed: data may not survive a power cut. For tests only. */
  durable?: boolean;
};

export type RunningEngine = {
  url: string;
  pid: number;
  stop(): Promise<void>;
};

export type Installable = {
  name: string;
  /** Fetches missing files into the cache outside the clone; does nothing when they are there. */
  install(): Promise<void>;
};

/** Third-party software that Berth needs in order to run. One file per engine; the registry lists them. */
export type Engine = Installable & {
  /** Resolves once the engine answers. The process outlives its parent unless stopped. */
  start(options: StartOptions): Promise<RunningEngine>;
  ready(url: string): Promise<boolean>;
  /** Stops the process on the data folder, regardless of which process started it; does nothing when none runs. */
  stop(dataFolder: string): Promise<void>;
};
