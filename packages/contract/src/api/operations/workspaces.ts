// Workspaces, and joining, declining and leaving them; control-plane sheet 1.2.
import { z } from 'zod';
import { adminOfPath, anyCaller, memberOfPath } from '../access.ts';
import { defineOperation } from '../operation.ts';
import { at } from '../path-params.ts';
import { PendingInvitation, PendingInvitationAccept } from '../schema/people.ts';
import { QueryBoolean } from '../schema/query.ts';
import { Workspace, WorkspaceAvailability, WorkspaceChange, WorkspaceInput } from '../schema/workspace.ts';

const none = z.object({});
const tag = 'Workspaces';

export const listWorkspaces = defineOperation({
  ...at('/workspaces'),
  id: 'listWorkspaces',
  method: 'GET',
  tag,
  summary: 'List the workspaces the caller is a member of',
  access: anyCaller('workspaces:list'),
  query: none,
  answer: z.array(Workspace),
});

export const createWorkspace = defineOperation({
  ...at('/workspaces'),
  id: 'createWorkspace',
  method: 'POST',
  tag,
  summary: 'Create a workspace, with the caller as its admin',
  access: anyCaller('workspaces:create'),
  query: none,
  body: WorkspaceInput,
  answer: Workspace,
  audit: 'workspace.create',
});

/** A POST that changes nothing, so it writes no audit entry. */
export const checkWorkspaceAvailability = defineOperation({
  ...at('/workspaces/availability'),
  id: 'checkWorkspaceAvailability',
  method: 'POST',
  tag,
  summary: 'Ask whether a workspace name is free',
  access: anyCaller('admin'),
  query: z.object({ withReason: QueryBoolean.optional() }),
  // Accepts any text: a name that breaks the rules is simply not available.
  body: z.object({ name: z.string().max(256) }),
  answer: z.union([z.boolean(), WorkspaceAvailability]),
});

export const getWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}'),
  id: 'getWorkspace',
  method: 'GET',
  tag,
  summary: 'Read one workspace',
  access: memberOfPath('workspaces:get'),
  query: z.object({ countResources: QueryBoolean.optional() }),
  answer: Workspace,
});

export const updateWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}'),
  id: 'updateWorkspace',
  method: 'PUT',
  tag,
  summary: 'Change the settings of a workspace',
  access: adminOfPath('workspaces:update'),
  query: none,
  body: WorkspaceChange,
  answer: Workspace,
  audit: 'workspace.update',
});

export const deleteWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}'),
  id: 'deleteWorkspace',
  method: 'DELETE',
  tag,
  summary: 'Delete a workspace with everything in it',
  access: adminOfPath('workspaces:delete'),
  query: none,
  answer: Workspace,
  audit: 'workspace.delete',
});

export const leaveWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}/leave'),
  id: 'leaveWorkspace',
  method: 'DELETE',
  tag,
  summary: 'Leave a workspace',
  access: memberOfPath('workspaces:leave'),
  query: none,
  answer: Workspace,
  audit: 'workspace.leave',
});

// An invited user is not a member yet, so the two operations below require only a credential.

export const joinWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}/join'),
  id: 'joinWorkspace',
  method: 'POST',
  tag,
  summary: 'Accept an invitation',
  access: anyCaller('workspaces:accept'),
  query: none,
  answer: PendingInvitationAccept,
  audit: 'workspace.join',
});

export const declineWorkspace = defineOperation({
  ...at('/workspaces/{workspaceName}/decline'),
  id: 'declineWorkspace',
  method: 'POST',
  tag,
  summary: 'Decline an invitation',
  access: anyCaller('workspaces:decline'),
  query: none,
  answer: PendingInvitation,
  audit: 'workspace.decline',
});
