import { sql } from 'kysely';
import type { ReadCall } from '../../http/call.ts';
import { requirePerson } from '../require-person.ts';

interface Row {
  readonly id: string;
  readonly email: string;
  readonly role: 'member' | 'admin';
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly name: string;
  readonly display_name: string | null;
  readonly invited_by: string;
  readonly inviter_email: string | null;
  readonly inviter_given_name: string | null;
  readonly inviter_family_name: string | null;
  readonly members: number;
}

/** Lists the invitations that the caller can still accept. */
export async function listInvitations({ database, principal, dependencies }: ReadCall): Promise<unknown> {
  requirePerson(principal, 'be invited');
  const { rows } = await sql<Row>`
    select i.id, i.email, i.role, i.created_at, i.expires_at, i.invited_by, w.name, w.display_name,
      u.email as inviter_email, u.given_name as inviter_given_name, u.family_name as inviter_family_name,
      (select count(*) from workspace_members m where m.workspace_id = w.id) as members
    from invitations i join workspaces w on w.id = i.workspace_id
    left join users u on u.id = i.invited_by::uuid
    where i.email = ${principal.email ?? ''} and i.state = 'open' and i.expires_at > ${new Date(dependencies.now())}
    order by i.created_at desc, i.id desc`.execute(database);
  return rows.map(render);
}

/** Until the invitation is accepted, the caller sees only the number of the workspace's members. */
const render = (row: Row) => ({
  invitationId: row.id,
  type: 'workspace',
  email: row.email,
  role: row.role,
  invitedAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  invitedBy: {
    sub: row.invited_by,
    ...(row.inviter_email === null ? {} : { email: row.inviter_email }),
    ...(row.inviter_given_name === null ? {} : { given_name: row.inviter_given_name }),
    ...(row.inviter_family_name === null ? {} : { family_name: row.inviter_family_name }),
  },
  workspace: { name: row.name, ...(row.display_name === null ? {} : { displayName: row.display_name }) },
  workspaceDetails: { emails: [], user_number: row.members },
});
