// The state that the next guest needs to continue a process: written before the process is spawned and before each
// change takes effect. It holds the caller's variables, so no other account may read it. The guest's own environment is
// not in it, since that may have changed when the process is restarted.
import * as z from 'zod/mini';

const LogEnds = z.object({ stdout: z.int(), stderr: z.int(), all: z.int() });

export const ProcessState = z.object({
  /** Name of the folder of the process. */
  id: z.string(),
  /** The pid shown: that of the first attempt, also after restarts. 0 before the first attempt runs. */
  pid: z.int(),
  name: z.string(),
  command: z.string(),
  workingDirectory: z.string(),
  env: z.record(z.string(), z.string()),
  takesInput: z.boolean(),
  restartOnFailure: z.boolean(),
  maxRestarts: z.int(),
  restartCount: z.int(),
  keepAlive: z.boolean(),
  /** Longest duration of each attempt; 0 = no limit. */
  killAfterSeconds: z.int(),
  startedAtMs: z.int(),
  /** State that callers want: recorded before the process is signalled, so that its end is not taken for a failure. */
  desired: z.enum(['run', 'stopped', 'killed']),
  /** Signals sent by callers: an end by one of them is no failure either. */
  signals: z.array(z.int()),
  /** The newest attempt. `pid` is the kernel's. */
  attempt: z.object({ key: z.string(), pid: z.int(), startTicks: z.int(), startedAtMs: z.int() }),
  parts: z.array(z.object({ name: z.string(), base: LogEnds, ends: z.optional(LogEnds) })),
  markers: z.array(z.object({ id: z.int(), at: z.int(), text: z.string(), breaks: z.boolean() })),
  /** Set after a failed attempt: when the next one starts. */
  restartAtMs: z.optional(z.int()),
  /** Set when the process was stopped: when it is killed. */
  killAtMs: z.optional(z.int()),
  /** The process was killed because its time was up. */
  timedOut: z.boolean(),
  outcome: z.optional(
    z.object({
      status: z.enum(['completed', 'failed', 'stopped', 'killed']),
      exitCode: z.int(),
      completedAtMs: z.int(),
    }),
  ),
});
export type ProcessState = z.infer<typeof ProcessState>;
export type ProcessOutcome = NonNullable<ProcessState['outcome']>;
