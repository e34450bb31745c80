// Questions about instances that every part of a plan asks.
import type { ObservedInstance } from './observed.ts';

export const isLive = ({ endedAt }: ObservedInstance): boolean => endedAt === undefined;

/** Should run and has not given up. */
export const isWorking = (instance: ObservedInstance): boolean =>
  isLive(instance) && instance.desired === 'running' && instance.state !== 'failed';

export const isReady = (instance: ObservedInstance): boolean => isWorking(instance) && instance.state === 'ready';

/** It gave up, its machine was lost, or it vanished; one that was told to go has not failed. */
export const hasFailed = (instance: ObservedInstance): boolean =>
  instance.failedAt !== undefined ||
  instance.state === 'failed' ||
  instance.state === 'lost' ||
  (instance.state === 'gone' && instance.desired === 'running');

/** All of them are told to go, also those that were left time for what they have under way. */
export function retireAll(
  instances: readonly ObservedInstance[],
): { do: 'retire'; instances: string[]; desired: 'gone' }[] {
  const staying = instances.filter((instance) => isLive(instance) && instance.desired !== 'gone');
  return staying.length === 0 ? [] : [{ do: 'retire', instances: staying.map(({ id }) => id), desired: 'gone' }];
}

export const newestFirst = (left: ObservedInstance, right: ObservedInstance): number =>
  right.createdAt - left.createdAt || (left.id < right.id ? 1 : -1);
