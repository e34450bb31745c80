// Handles a create whose name is taken, and the end of a sandbox. A terminated or failed sandbox is replaced in the
// same transaction, so that a sandbox that no longer runs never causes a name conflict. Control-plane sheet 3.4.
import { resourceErrors } from '@berth/contract';
import { expiryMessage, terminateSandbox } from '@berth/placement';
import { hasLiveInstances } from '../resources/live-instances.ts';
import { lockLive, type ResourceRow } from '../resources/record.ts';
import type { EndReason, NameConflict, RuleContext } from '../resources/rules.ts';
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

export async function endSandbox(context: RuleContext, row: ResourceRow, reason: EndReason): Promise<ResourceRow> {
  const { tx, dependencies } = context;
  const { uid, workspace_id: workspaceId, name, spec } = row;
  const ended = await terminateSandbox(tx, { uid, workspaceId, name, spec }, endingOf(row, reason));
  if (ended === undefined) return row;
  context.afterCommit(() => {
    for (const { runnerId } of ended.retired) dependencies.ringInstances(runnerId);
  });
  return { ...row, status: 'TERMINATED', terminated_at: ended.terminatedAt };
}

function endingOf({ spec, created_at, expires_at, status }: ResourceRow, reason: EndReason) {
  if (reason === 'deleted') return { type: 'deletion', message: 'Deleted on request.' } as const;
  if (status === 'TERMINATED' && expires_at !== null)
    return { type: 'expiration', message: expiryMessage(spec, created_at.getTime(), expires_at.getTime()) } as const;
  return { type: 'deletion', message: 'It had failed, and a new one of its name was created.' } as const;
}
