import { enqueue } from '@berth/database';
import type { WriteCall } from '../../http/call.ts';

export type EnqueueCall = Pick<WriteCall, 'tx' | 'workspace' | 'trace' | 'afterCommit' | 'dependencies'>;

/** Sends the execution to its handler once the transaction has committed. */
export async function enqueueExecution(call: EnqueueCall, id: string): Promise<void> {
  const { tx, workspace, trace, dependencies } = call;
  await enqueue(tx, { topic: 'execution', key: id, workspaceId: workspace.id, trace });
  call.afterCommit(() => dependencies.notifyOutbox());
}
