// People of a workspace; control-plane sheet 1.2.
import { z } from 'zod';
import { admin, anyCaller, member } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { Email, PendingInvitation, PendingInvitationRender, WorkspaceUser } from '../schema/people.ts';
import { WorkspaceQuery } from '../schema/query.ts';
import { NoAnswer } from '../schema/shared.ts';
import { Role } from '../schema/workspace.ts';

const tag = 'Users';

export const listUsers = defineOperation({
  ...at('/users'),
  id: 'listUsers',
  method: 'GET',
  tag,
  summary: 'List members and open invitations',
  access: member('workspaces:list'),
  query: WorkspaceQuery,
  answer: z.array(WorkspaceUser),
});

export const inviteUser = defineOperation({
  ...at('/users'),
  id: 'inviteUser',
  method: 'POST',
  tag,
  summary: 'Invite a person by e-mail',
  access: admin('workspaces:invite'),
  query: WorkspaceQuery,
  body: z.object({ email: Email, role: Role.default('member') }),
  answer: PendingInvitation,
  audit: 'user.invite',
});

export const updateUserRole = defineOperation({
  ...at('/users/{subOrEmail}'),
  id: 'updateUserRole',
  method: 'PUT',
  tag,
  summary: 'Change the role of a member',
  access: admin('workspaces:update'),
  query: WorkspaceQuery,
  body: z.object({ role: Role }),
  answer: WorkspaceUser,
  audit: 'user.update',
});

export const removeUser = defineOperation({
  ...at('/users/{subOrEmail}'),
  id: 'removeUser',
  method: 'DELETE',
  tag,
  summary: 'Remove a member or withdraw an invitation',
  access: admin('workspaces:remove'),
  query: WorkspaceQuery,
  answer: NoAnswer,
  audit: 'user.remove',
});

export const listInvitations = defineOperation({
  ...at('/profile/invitations'),
  id: 'listInvitations',
  method: 'GET',
  tag,
  summary: 'List the invitations addressed to the caller',
  access: anyCaller('invitations:list'),
  query: z.object({}),
  answer: z.array(PendingInvitationRender),
});
