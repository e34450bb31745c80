export type StartOptions = {
  /** Belongs to this run alone; made when absent. */
  dataFolder: string;
  /** A free one is taken when left out. */
  port?: number;
  /** False trades the data's survival of a power cut for speed: tests only. */
  durable?: boolean;
};

export type RunningEngine = {
  url: string;
  pid: number;
  stop(): Promise<void>;
};

export type Installable = {
  name: string;
  /** Fetches what is missing into the cache outside the clone; does nothing when it is there. */
  install(): Promise<void>;
};

/** Something Berth does not write itself but cannot run without. One file per engine; the registry lists them. */
export type Engine = Installable & {
  /** Resolves once the engine answers. The process outlives its starter unless stopped. */
  start(options: StartOptions): Promise<RunningEngine>;
  ready(url: string): Promise<boolean>;
  /** Ends what runs on the data folder, whichever process started it; does nothing when nothing runs. */
  stop(dataFolder: string): Promise<void>;
};
