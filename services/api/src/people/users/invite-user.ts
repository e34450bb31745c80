// Invites an e-mail address for seven days. A new invitation replaces an open one.
import type { inviteUser as operation } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import type { WriteCall } from '../../http/call.ts';
import { peopleErrors } from '../errors.ts';
import { invitationColumns, renderInvitation } from '../invitations/record.ts';
import { lockWorkspace } from '../workspaces/record.ts';
import { findMember } from './record.ts';

const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

export async function inviteUser(call: WriteCall<typeof operation>): Promise<unknown> {
  const { tx, workspace, principal, body, dependencies } = call;
  const email = body.email.toLowerCase();
  // Locked, so that the person cannot join between this check and the invitation.
  await lockWorkspace(tx, workspace.id);
  if ((await findMember(tx, workspace.id, email)) !== undefined) throw peopleErrors.already_member({ email });
  const at = new Date(dependencies.now());
  const offer = {
    role: body.role,
    invited_by: principal.subject,
    created_at: at,
    updated_at: at,
    expires_at: new Date(at.getTime() + lifetimeMs),
  };
  const row = await tx
    .insertInto('invitations')
    .values({ id: uuidv7(), workspace_id: workspace.id, email, ...offer })
    .onConflict((conflict) =>
      // A literal, because a prepared statement matches a partial index only with a constant condition.
      conflict.columns(['workspace_id', 'email']).where('state', '=', sql.lit('open')).doUpdateSet(offer),
    )
    .returning(invitationColumns)
    .executeTakeFirstOrThrow();
  call.target(`user/${email}`);
  return renderInvitation(row, workspace.name);
}
