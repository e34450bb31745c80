// What the guest must remember of a process to go on with it after its own death: written before the process is asked for and
// before each change takes effect. It holds the caller's variables, so nobody else may read it; the guest's own
// environment is not in it, since that may have changed when the process is restarted.
import * as z from 'zod/mini';

const LogEnds = z.object({ stdout: z.int(), stderr: z.int(), all: z.int() });

export const ProcessState = z.object({
  /** Name of its folder. */
  id: z.string(),
  /** The pid shown: of the first attempt, for ever. 0 before that one runs. */
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
  /** How long each attempt may last; 0 = for ever. */
  killAfterSeconds: z.int(),
  startedAtMs: z.int(),
  /** What its callers want of it: recorded before it is signalled, so that its end is not taken for a failure. */
  desired: z.enum(['run', 'stopped', 'killed']),
  /** Sent by callers: an end by one of them is no failure either. */
  signals: z.array(z.int()),
  /** The newest run. `pid` is the kernel's. */
  attempt: z.object({ key: z.string(), pid: z.int(), startTicks: z.int(), startedAtMs: z.int() }),
  parts: z.array(z.object({ name: z.string(), base: LogEnds, ends: z.optional(LogEnds) })),
  markers: z.array(z.object({ id: z.int(), at: z.int(), text: z.string(), breaks: z.boolean() })),
  /** The last attempt failed, the next one starts then. */
  restartAtMs: z.optional(z.int()),
  /** It was stopped, and is killed then. */
  killAtMs: z.optional(z.int()),
  /** Its time was up. */
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
