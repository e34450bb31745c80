// Starts the execution of a request, in one transaction. The trigger is read again there: what the gateway has cached
// may be a moment old.
import type { DatabaseTransaction } from '@berth/database';
import { httpTriggersOf, jobSettings, LimitTaken, lockJob, type StartDependencies, startByTrigger } from '@berth/jobs';
import type { FoundTrigger } from '../routing/trigger.ts';
import { type StoringOptions, storeInLane } from './store-in-lane.ts';
import { limitReached, startsBusy, startUncertain, switchedOff, volumesRefused } from './trigger-errors.ts';

export interface StartExecutionOptions extends StartDependencies, StoringOptions {
  /** Called after an execution was stored. */
  readonly notifyOutbox: () => void;
}

interface StartRequest {
  readonly trigger: FoundTrigger;
  /** Undefined for a public call. */
  readonly subject: string | undefined;
  /** Whether the caller belongs to the workspace of the trigger. */
  readonly isMember: boolean;
  readonly messageId: string;
  /** Undefined for the tasks of the trigger. */
  readonly tasks: readonly Record<string, unknown>[] | undefined;
}

interface StartedExecution {
  readonly id: string;
  readonly externalId: string;
}

/** Undefined when the trigger is gone, or does not admit the caller any more. */
export type StartExecution = (request: StartRequest) => Promise<StartedExecution | undefined>;

export const createStartExecution =
  (options: StartExecutionOptions): StartExecution =>
  async (request) => {
    const started = await storeInLane(options, {
      isStranger: request.subject === undefined,
      work: (tx) => startIn(tx, options, request),
      busy: startsBusy,
      uncertain: startUncertain,
    });
    options.notifyOutbox();
    return started;
  };

async function startIn(
  tx: DatabaseTransaction,
  dependencies: StartDependencies,
  { trigger: { uid, path, triggerId }, subject, isMember, messageId, tasks }: StartRequest,
): Promise<StartedExecution | undefined> {
  const job = await lockJob(tx, uid, 'key share');
  const trigger = job && httpTriggersOf(job.spec).find((each) => each.id === triggerId && each.path === path);
  if (job === undefined || !trigger?.isEnabled || !(trigger.isPublic || isMember)) return undefined;
  if (!jobSettings(job.spec).enabled) throw switchedOff;
  const result = await startWithin(tx, dependencies, {
    ...{ job, messageId },
    trigger: tasks === undefined ? trigger : { ...trigger, tasks },
    createdBy: subject ?? `trigger:${triggerId}`,
    message: `Queued by a request to ${path}, the path of the trigger ${triggerId}.`,
  });
  if (result.outcome !== 'refused') return result;
  throw result.because === 'limit' ? limitReached : volumesRefused;
}

async function startWithin(...start: Parameters<typeof startByTrigger>): ReturnType<typeof startByTrigger> {
  try {
    return await startByTrigger(...start);
  } catch (error) {
    throw error instanceof LimitTaken ? limitReached : error;
  }
}
