import * as z from 'zod/mini';

const Name = z
  .string()
  .check(z.regex(/^[A-Za-z0-9._-]{1,128}$/, '1 to 128 letters, digits, dots, hyphens, underscores'));

const WithoutNul = z.string().check(z.regex(/^[^\0]*$/, 'no NUL byte, which no argument can hold'));
const VariableName = z.string().check(z.regex(/^[^\0=]+$/, 'the name of a variable is not empty and has no = or NUL'));

export const ProcessRequest = z.object({
  /** Passed to the shell. */
  command: WithoutNul.check(z.minLength(1)),
  name: z.optional(Name.check(z.regex(/[^0-9]/, 'a name of digits alone would be taken for a pid'))),
  workingDir: z.optional(z.string()),
  env: z.optional(z.record(VariableName, WithoutNul)),
  waitForCompletion: z.optional(z.boolean()),
  /** Time to wait, in seconds; with keepAlive also the time after which the process is killed. 0 = no limit. */
  timeout: z.optional(z.int()),
  waitForPorts: z.optional(z.array(z.int().check(z.minimum(1), z.maximum(65_535)))),
  restartOnFailure: z.optional(z.boolean()),
  /** Negative = unlimited. */
  maxRestarts: z.optional(z.int()),
  keepAlive: z.optional(z.boolean()),
  /** Extension: a pipe as standard input, fed by `POST /process/{identifier}/stdin`. Otherwise the input is empty. */
  stdin: z.optional(z.boolean()),
});
export type ProcessRequest = z.infer<typeof ProcessRequest>;

export type ProcessStatus = 'running' | 'completed' | 'failed' | 'stopped' | 'killed';

export type ProcessResponse = {
  /** Stays the same across restarts. */
  pid: string;
  name: string;
  command: string;
  workingDir: string;
  status: ProcessStatus;
  /** HTTP date. */
  startedAt: string;
  /** While the process runs: empty, and null in lists. */
  completedAt: string | null;
  /** 0 while the process runs, 128 + signal when a signal ended it, -1 when unknown. */
  exitCode: number;
  logs: string | null;
  stdout: string | null;
  stderr: string | null;
  restartOnFailure: boolean;
  maxRestarts: number;
  restartCount: number;
  keepAlive: boolean;
};

/**
 * `GET /process/{identifier}/logs`: the newest 4 MiB of each stream, after a line that reports omitted output, if any.
 */
export type ProcessLogs = { stdout: string; stderr: string; logs: string };

/**
 * `GET /process/{identifier}/logs?stream=stdout|stderr|logs&offset=N&limit=N`: a range of one stream. Offsets count all
 * bytes ever written and stay valid when the oldest output is dropped. Continue at `nextOffset`; without `offset` the
 * answer is the newest `limit` bytes. Offsets of `logs` count its stored form, which is longer than its text.
 */
export type ProcessLogRange = {
  stream: 'stdout' | 'stderr' | 'logs';
  /** Start of `data`: later than requested when the oldest output is no longer kept. */
  offset: number;
  nextOffset: number;
  /** No more output will follow: the process has ended and `nextOffset` is the end. */
  ended: boolean;
  data: string;
};

/** One line of `POST /process` with `Accept: text/event-stream`. `result` holds a ProcessResponse as text. */
export type ProcessStreamEvent =
  | { type: 'stdout' | 'stderr' | 'result' | 'error'; data: string }
  | { type: 'keepalive' };

/**
 * Extension: one line of `GET /process/{identifier}/output` and of `POST /process?format=events`. Both name the exact bytes of
 * the output: who is cut off continues at the last `next` that arrived.
 */
export type ProcessOutputEvent =
  /** `data` is base64 where the bytes are no text of their own, as a part of a character. */
  | { type: 'stdout' | 'stderr'; data: string; encoding?: 'base64'; next: number }
  /** A line of the guest itself, for example about a restart. */
  | { type: 'notice'; data: string; next: number }
  /** Output that is no longer kept: the reader was too slow, or came too late. */
  | { type: 'gap'; data: string; next: number }
  | { type: 'keepalive' }
  /** The last event: the process with its exit code, without its output. */
  | { type: 'end'; process: ProcessResponse }
  | { type: 'error'; data: string };

export const ProcessInputRequest = z.object({
  data: z.optional(z.string()),
  encoding: z.optional(z.enum(['utf8', 'base64'])),
  /** Closes the standard input after `data`. */
  end: z.optional(z.boolean()),
});
export type ProcessInputRequest = z.infer<typeof ProcessInputRequest>;

export const ProcessSignalRequest = z.object({
  /** For example `SIGHUP`, `HUP` or 1. */
  signal: z.union([z.string(), z.int()]),
});
export type ProcessSignalRequest = z.infer<typeof ProcessSignalRequest>;
