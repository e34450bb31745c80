// Decides which handler has to know of a report: `execution` for the attempt of a task, `reconcile` for an instance of a
// resource. Pure.
import type { InstanceReport } from '@berth/contract/node';
import type { OutboxMessage } from '@berth/database';

/** An instance before its report. */
export interface PreviousState {
  /** Set for the attempt of a task. */
  readonly executionId: string | null;
  /** Absent for a warm sandbox without an owner, as is the workspace. */
  readonly resourceUid: string | null;
  readonly workspaceId: string | null;
  readonly state: string;
  readonly message: string | null;
  readonly wasExpired: boolean;
  /** The end of the attempt was recorded before. */
  readonly hadResult: boolean;
}

export function messageAfter(before: PreviousState, report: InstanceReport): OutboxMessage | undefined {
  const { executionId, resourceUid, workspaceId } = before;
  if (workspaceId === null) return undefined;
  if (executionId !== null)
    return needsSettlement(before, report) ? { topic: 'execution', key: executionId, workspaceId } : undefined;
  if (resourceUid === null || !needsReconcile(before, report)) return undefined;
  return { topic: 'reconcile', key: resourceUid, workspaceId };
}

/** The start of an attempt, its end, and its removal before it ended. */
const needsSettlement = ({ state, hadResult }: PreviousState, report: InstanceReport): boolean =>
  !hadResult && state !== report.state && ['ready', 'ended', 'gone'].includes(report.state);

/**
 * While an instance starts, only a message for the user matters, and the end of the start. Sleeping and waking do not
 * matter for reconcile; an expired idle timeout does.
 */
function needsReconcile({ state, message, wasExpired }: PreviousState, report: InstanceReport): boolean {
  const isStarting = (each: string): boolean => ['placed', 'pulling', 'starting'].includes(each);
  if (report.isExpired === true && !wasExpired) return true;
  if (isStarting(state) && isStarting(report.state)) return report.message !== undefined;
  return state !== report.state || message !== (report.message ?? null);
}
