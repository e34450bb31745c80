// Runs a command to its end, in one request. The process has a name that the client chose, so a request that is cut off is
// repeated without a second run.
import type { Message, Process as ProcessInfo, ProcessRequest } from '../generated/guest.ts';
import { BerthError } from '../http/errors.ts';
import type { OpenAnswer } from '../http/transport.ts';
import { type ExecResult, type OutputCallbacks, ResultCollector } from './exec-result.ts';
import type { Guest } from './guest.ts';
import { followOutput } from './output.ts';
import { Process } from './process.ts';

/** Options of a process. */
export interface StartOptions {
  /** Names the process in its sandbox; chosen by the client where left out. */
  readonly name?: string | undefined;
  /** The working directory. */
  readonly cwd?: string | undefined;
  /** Variables, besides those of the sandbox. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** The sandbox does not sleep while the process runs. */
  readonly keepAlive?: boolean | undefined;
  /** Starts the process again when it ends with another code than 0. */
  readonly restartOnFailure?: boolean | undefined;
  /** The most such starts. */
  readonly maxRestarts?: number | undefined;
  /** Opens the input of the process, for `write`. */
  readonly stdin?: boolean | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** The process has a name of its own: one of the caller may be that of a process that has ended, which would not run again. */
export interface ExecOptions extends Omit<StartOptions, 'name'>, OutputCallbacks {
  /** Kills the process after this time. Without it there is no limit. */
  readonly killAfterMs?: number | undefined;
  /** Throws an ExitError where the exit code is not 0. */
  readonly check?: boolean | undefined;
  /** The whole input. */
  readonly input?: string | Uint8Array | undefined;
  /** Aborting `signal` kills the process, unless this is `leave`. */
  readonly onAbort?: 'kill' | 'leave' | undefined;
}

export async function exec(guest: Guest, command: string, options: ExecOptions): Promise<ExecResult> {
  options.signal?.throwIfAborted();
  const name = randomName();
  const process = new Process(guest, name);
  const run = new AbortController();
  const started = Promise.withResolvers<void>();
  const killStarted = () => started.promise.then(() => process.kill());
  const timer =
    options.killAfterMs === undefined
      ? undefined
      : setTimeout(() => void killStarted().catch(() => {}), options.killAfterMs);
  let isStarted = false;
  const open = async (offset: number): Promise<OpenAnswer> => {
    const opened = isStarted
      ? await guest.stream({
          ...{ method: 'GET', path: `/process/${encodeURIComponent(name)}/output?offset=${offset}` },
          ...{ signal: run.signal, isRepeatable: true },
        })
      : await guest.stream({
          ...{ method: 'POST', path: '/process?format=events&once=true', signal: run.signal },
          ...{ json: requestOf(command, name, options), isRepeatable: true },
        });
    isStarted = true;
    started.resolve();
    return opened;
  };
  const result = new ResultCollector(options);
  const follow = async (): Promise<ExecResult> => {
    for await (const event of followOutput({ open, signal: run.signal })) result.take(event);
    return result.finish(options.check ?? false);
  };
  const leaving = Promise.withResolvers<never>();
  leaving.promise.catch(() => {});
  // The caller does not wait for the end of the process.
  const aborted = () => {
    leaving.reject(options.signal?.reason);
    if (options.onAbort === 'leave') {
      // A start whose caller has left may not happen.
      started.promise.catch(() => {}).finally(() => run.abort());
      return;
    }
    run.abort();
    // Also where the start is still on its way.
    const path = `/process/${encodeURIComponent(name)}/kill?once=true`;
    guest.json<Message>({ method: 'DELETE', path, isRepeatable: true }).catch(() => {});
  };
  options.signal?.addEventListener('abort', aborted);
  try {
    const following = follow();
    following.catch(started.reject);
    started.promise.catch(() => {});
    const work = async (): Promise<ExecResult> => {
      if (options.input !== undefined) await sendInput(process, started.promise, options.input);
      return following;
    };
    return await Promise.race([work(), leaving.promise]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', aborted);
  }
}

export async function start(guest: Guest, command: string, options: StartOptions): Promise<Process> {
  const name = options.name ?? randomName();
  const started = await guest.json<ProcessInfo>({
    ...{ method: 'POST', path: `/process${options.name === undefined ? '?once=true' : ''}` },
    json: requestOf(command, name, options),
    signal: options.signal,
    // A name of the caller may be that of a process that has ended, which would not be started again.
    isRepeatable: options.name === undefined,
  });
  return new Process(guest, started.name);
}

function requestOf(command: string, name: string, options: ExecOptions): ProcessRequest {
  const { cwd, env, keepAlive, restartOnFailure, maxRestarts, stdin, input } = options;
  return {
    ...{ command, name },
    ...(cwd === undefined ? {} : { workingDir: cwd }),
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(keepAlive === undefined ? {} : { keepAlive, timeout: 0 }),
    ...(restartOnFailure === undefined ? {} : { restartOnFailure }),
    ...(maxRestarts === undefined ? {} : { maxRestarts }),
    ...(stdin === true || input !== undefined ? { stdin: true } : {}),
  };
}

async function sendInput(process: Process, started: Promise<void>, input: string | Uint8Array): Promise<void> {
  await started;
  try {
    await process.write(input);
    await process.endInput();
  } catch (error) {
    if (error instanceof BerthError && endedStatuses.has(error.status)) return;
    // It would wait for the rest of its input.
    await process.kill();
    throw error;
  }
}

/** The process has ended, or reads no more: what it made of the input is its result. */
const endedStatuses = new Set<number | undefined>([404, 422]);

const randomName = (): string => `x-${crypto.randomUUID()}`;
