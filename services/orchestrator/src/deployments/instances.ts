// Predicates about instances that all parts of a plan share.
import type { ObservedInstance } from './observed.ts';

export const isLive = ({ endedAt }: ObservedInstance): boolean => endedAt === undefined;

/** The instance should run and has not failed. */
export const isWorking = (instance: ObservedInstance): boolean =>
  isLive(instance) && instance.desired === 'running' && instance.state !== 'failed';

export const isReady = (instance: ObservedInstance): boolean => isWorking(instance) && instance.state === 'ready';

/** The instance gave up, its runner was lost, or it vanished; a retired instance that is gone has not failed. */
export const hasFailed = (instance: ObservedInstance): boolean =>
  instance.failedAt !== undefined ||
  instance.state === 'failed' ||
  instance.state === 'lost' ||
  (instance.state === 'gone' && instance.desired === 'running');

/** Retires all live instances with `gone`, also those that are draining (`leaving`). */
export function retireAll(
  instances: readonly ObservedInstance[],
): { do: 'retire'; instances: string[]; desired: 'gone' }[] {
  const staying = instances.filter((instance) => isLive(instance) && instance.desired !== 'gone');
  return staying.length === 0 ? [] : [{ do: 'retire', instances: staying.map(({ id }) => id), desired: 'gone' }];
}

export const newestFirst = (left: ObservedInstance, right: ObservedInstance): number =>
  right.createdAt - left.createdAt || (left.id < right.id ? 1 : -1);
