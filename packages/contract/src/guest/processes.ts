import * as z from 'zod/mini';

const Name = z
  .string()
  .check(z.regex(/^[A-Za-z0-9._-]{1,128}$/, '1 to 128 letters, digits, dots, hyphens, underscores'));

const WithoutNul = z.string().check(z.regex(/^[^\0]*$/, 'no NUL byte, which no argument can hold'));
const VariableName = z.string().check(z.regex(/^[^\0=]+$/, 'the name of a variable is not empty and has no = or NUL'));

export const ProcessRequest = z.object({
  /** Handed to the shell. */
  command: WithoutNul.check(z.minLength(1)),
  name: z.optional(Name.check(z.regex(/[^0-9]/, 'a name of digits alone would be taken for a pid'))),
  workingDir: z.optional(z.string()),
  env: z.optional(z.record(VariableName, WithoutNul)),
  waitForCompletion: z.optional(z.boolean()),
  /** Seconds. How long to wait; with keepAlive also when to kill. 0 = no limit. */
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
  /** As an HTTP date. */
  startedAt: string;
  /** While it runs: empty, and null in lists. */
  completedAt: string | null;
  /** 0 while it runs, 128 + signal when a signal ended it, -1 when nobody knows. */
  exitCode: number;
  logs: string | null;
  stdout: string | null;
  stderr: string | null;
  restartOnFailure: boolean;
  maxRestarts: number;
  restartCount: number;
  keepAlive: boolean;
};

/** `GET /process/{identifier}/logs`: the newest 4 MiB of each, after a line that says so when there was more. */
export type ProcessLogs = { stdout: string; stderr: string; logs: string };

/**
 * `GET /process/{identifier}/logs?stream=stdout|stderr|logs&offset=N&limit=N`: one stretch of one stream. Offsets count the
 * bytes ever written and stay true when the head is released. Ask again at `nextOffset`; with `offset` left
 * out the answer is the newest `limit` bytes. Offsets of `logs` count its stored form, which is longer than its text.
 */
export type ProcessLogRange = {
  stream: 'stdout' | 'stderr' | 'logs';
  /** Where `data` begins: later than asked when the head is no longer kept. */
  offset: number;
  nextOffset: number;
  /** Nothing more will come: the process has ended and `nextOffset` is the end. */
  ended: boolean;
  data: string;
};

/** One line of `POST /process` with `Accept: text/event-stream`. `result` holds a ProcessResponse as text. */
export type ProcessStreamEvent =
  | { type: 'stdout' | 'stderr' | 'result' | 'error'; data: string }
  | { type: 'keepalive' };

export const ProcessInputRequest = z.object({
  data: z.optional(z.string()),
  encoding: z.optional(z.enum(['utf8', 'base64'])),
  /** No more input after this. */
  end: z.optional(z.boolean()),
});
export type ProcessInputRequest = z.infer<typeof ProcessInputRequest>;

export const ProcessSignalRequest = z.object({
  /** `SIGHUP`, `HUP` or 1. */
  signal: z.union([z.string(), z.int()]),
});
export type ProcessSignalRequest = z.infer<typeof ProcessSignalRequest>;
