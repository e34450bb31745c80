// Handles a create whose name is taken. A terminated or failed sandbox is replaced in the
// same transaction, so that a sandbox that no longer runs never causes a name conflict. Control-plane sheet 3.4.
import { resourceErrors } from '@berth/contract';
import { hasLiveInstances } from '../resources/live-instances.ts';
import { lockLive } from '../resources/record.ts';
import type { NameConflict, RuleContext } from '../resources/rules.ts';
import { kindErrors } from '../rules/errors.ts';
import { answerWhenDeployed } from './begin.ts';

export async function resolveNameConflict(
  context: RuleContext,
  name: string,
  when: 'before' | 'lost',
): Promise<NameConflict | undefined> {
  if (name === '') return undefined;
  const row = await lockLive(context.tx, { workspaceId: context.workspace.id, kind: 'sandbox' }, name);
  if (row === undefined) return undefined;
  if (row.status === 'TERMINATED' || row.status === 'FAILED') return { row, outcome: 'replace' };
  if (row.status === 'DELETING') throw resourceErrors.already_exists({ kind: 'sandbox', name });
  if (context.query.createIfNotExist === true) {
    if (row.status === 'DEPLOYING' && (await hasLiveInstances(context.tx, row.uid)))
      context.beforeAnswer((answer) => answerWhenDeployed(context, row.uid, answer));
    return { row, outcome: 'answer' };
  }
  // A create that lost to one still in progress can wait for that one.
  if (when === 'lost' || row.status === 'DEPLOYING') throw kindErrors.creation_in_progress({ name });
  throw resourceErrors.already_exists({ kind: 'sandbox', name });
}
