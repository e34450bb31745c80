// Every message: its topic, its key and its input. A handler spreads its message into its declaration; senders name the
// message. All facts are in the database, so the key says everything.
import { outboxKeys, outboxTopics } from '@berth/database';
import { z } from 'zod';
import { defineMessage } from './message.ts';

const keyOnly = z.object({});
export type KeyOnly = z.infer<typeof keyOnly>;

/** Reconciles a resource. Key: uid of the resource. */
export const reconcileMessage = defineMessage({ name: outboxTopics.reconcile, input: keyOnly });

/** Reconciles the warm pools of a runner. Key: id of the runner. */
export const poolMessage = defineMessage({ name: outboxTopics.pool, input: keyOnly });

/** Removes the remains of a deleted workspace. Key: id of the workspace. */
export const removalMessage = defineMessage({ name: outboxTopics.removal, input: keyOnly });

/** Settles the attempts of an execution that have ended. Key: id of the execution. */
export const executionMessage = defineMessage({ name: outboxTopics.execution, input: keyOnly });

/** Places waiting tasks of all executions on runners. Key: `dispatchKey`, the only one. */
export const dispatchMessage = defineMessage({ name: outboxTopics.dispatch, input: keyOnly });
export const dispatchKey = outboxKeys.dispatch;

/** Starts the executions of a job whose schedules are due. Key: uid of the job. */
export const cronMessage = defineMessage({ name: outboxTopics.cron, input: keyOnly });
