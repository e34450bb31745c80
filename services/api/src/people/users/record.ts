// Clients see members and open invitations as one list. A person is identified by subject or e-mail address.
import { Uuid } from '@berth/contract';
import type { Database, DatabaseTransaction, MemberRole } from '@berth/database';

type Reader = Database | DatabaseTransaction;

export const selectMembers = (database: Reader, workspaceId: string) =>
  database
    .selectFrom('workspace_members as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.workspace_id', '=', workspaceId)
    .select(['u.id', 'u.email', 'u.email_verified', 'u.given_name', 'u.family_name', 'm.role', 'm.source'])
    .orderBy('u.email');

export const selectInvitations = (database: Reader, workspaceId: string) =>
  database
    .selectFrom('invitations')
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', 'open')
    .select(['id', 'email', 'role', 'expires_at'])
    .orderBy('email');

type MemberRow = Awaited<ReturnType<ReturnType<typeof selectMembers>['executeTakeFirstOrThrow']>>;
type InvitationRow = Awaited<ReturnType<ReturnType<typeof selectInvitations>['executeTakeFirstOrThrow']>>;

export function findMember(database: Reader, workspaceId: string, subOrEmail: string) {
  const text = subOrEmail.toLowerCase();
  const members = selectMembers(database, workspaceId);
  const named = Uuid.safeParse(text).success ? members.where('u.id', '=', text) : members.where('u.email', '=', text);
  return named.executeTakeFirst();
}

export const findInvitation = (database: Reader, workspaceId: string, email: string) =>
  selectInvitations(database, workspaceId).where('email', '=', email.toLowerCase()).executeTakeFirst();

const sources = ['directory_sync', 'invitation', 'domain_capture'];

export function renderMember(row: MemberRow) {
  return {
    sub: row.id,
    email: row.email,
    email_verified: row.email_verified,
    ...(row.given_name === null ? {} : { given_name: row.given_name }),
    ...(row.family_name === null ? {} : { family_name: row.family_name }),
    role: row.role,
    accepted: true,
    ...(row.source !== null && sources.includes(row.source) ? { source: row.source } : {}),
  };
}

export const renderInvited = (row: InvitationRow, nowMs: number, role: MemberRole = row.role) => ({
  email: row.email,
  role,
  accepted: false,
  expired: row.expires_at.getTime() <= nowMs,
  source: 'invitation',
});
