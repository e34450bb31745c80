// Starts the execution of a request, in one transaction. The trigger is read again there: what the gateway has cached
// may be a moment old.
import { type Database, type DatabaseTransaction, LaneFull, type LookupLane } from '@berth/database';
import { httpTriggersOf, jobSettings, LimitTaken, lockJob, type StartDependencies, startByTrigger } from '@berth/jobs';
import { GatewayError } from '../errors/gateway-error.ts';
import { lookupError } from '../errors/lookup-error.ts';
import type { FoundTrigger } from './trigger.ts';
import { limitReached, startsBusy, startUncertain, switchedOff, volumesRefused } from './trigger-errors.ts';

export interface StartExecutionOptions extends StartDependencies {
  readonly database: Database;
  /** Bound the connections of starts, apart for callers with a key and for all others. */
  readonly lanes: { readonly caller: LookupLane; readonly stranger: LookupLane };
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

export function createStartExecution(options: StartExecutionOptions): StartExecution {
  const { database, lanes, notifyOutbox } = options;
  return async (request) => {
    const lane = request.subject === undefined ? lanes.stranger : lanes.caller;
    let isCommitting = false;
    const start = () =>
      database.transaction().execute(async (tx) => {
        const started = await startIn(tx, options, request);
        isCommitting = true;
        return started;
      });
    try {
      const started = await lane.ask(start);
      notifyOutbox();
      return started;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      if (error instanceof LaneFull) throw startsBusy;
      if (error instanceof LimitTaken) throw limitReached;
      throw isCommitting ? startUncertain(error) : lookupError(error);
    }
  };
}

async function startIn(
  tx: DatabaseTransaction,
  dependencies: StartDependencies,
  { trigger: { uid, path, triggerId }, subject, isMember, messageId, tasks }: StartRequest,
): Promise<StartedExecution | undefined> {
  const job = await lockJob(tx, uid, 'key share');
  const trigger = job && httpTriggersOf(job.spec).find((each) => each.id === triggerId && each.path === path);
  if (job === undefined || !trigger?.isEnabled || !(trigger.isPublic || isMember)) return undefined;
  if (!jobSettings(job.spec).enabled) throw switchedOff;
  const result = await startByTrigger(tx, dependencies, {
    ...{ job, messageId },
    trigger: tasks === undefined ? trigger : { ...trigger, tasks },
    createdBy: subject ?? `trigger:${triggerId}`,
    message: `Queued by a request to ${path}, the path of the trigger ${triggerId}.`,
  });
  if (result.outcome !== 'refused') return result;
  throw result.because === 'limit' ? limitReached : volumesRefused;
}
