import type { Urgency, WriteCall } from '../http/call.ts';
import type { KindRules } from './rules.ts';

/** Enqueues reconcile for a changed resource, and notifies gateways when they route requests to its kind. */
export async function enqueueChange(
  { enqueueReconcile, afterCommit, dependencies }: WriteCall,
  { served }: KindRules,
  uid: string,
  urgency: Urgency = 'now',
): Promise<void> {
  await enqueueReconcile(uid, urgency);
  if (served === true) afterCommit(() => dependencies.notifyRoutes(uid));
}
