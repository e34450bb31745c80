import { expiryMessage, terminateSandbox } from '@berth/instances';
import type { ResourceRow } from '../resources/record.ts';
import type { EndReason, RuleContext } from '../resources/rules.ts';

export async function endSandbox(context: RuleContext, row: ResourceRow, reason: EndReason): Promise<ResourceRow> {
  const { tx, dependencies } = context;
  const { uid, workspace_id: workspaceId, name, spec } = row;
  const ended = await terminateSandbox(tx, { uid, workspaceId, name, spec }, endingOf(row, reason));
  if (ended === undefined) return row;
  context.afterCommit(() => {
    for (const { runnerId } of ended.retired) dependencies.notifyInstances(runnerId);
  });
  return { ...row, status: 'TERMINATED', terminated_at: ended.terminatedAt };
}

function endingOf({ spec, created_at, expires_at, status }: ResourceRow, reason: EndReason) {
  if (reason === 'deleted') return { type: 'deletion', message: 'Deleted on request.' } as const;
  if (status === 'TERMINATED' && expires_at !== null)
    return { type: 'expiration', message: expiryMessage(spec, created_at.getTime(), expires_at.getTime()) } as const;
  return { type: 'deletion', message: 'It had failed, and a new one of its name was created.' } as const;
}
