// How an address names a workspace: by its name or by its id.
import { Uuid, WorkspaceName } from '@berth/contract';
import { type RawBuilder, sql } from 'kysely';

/** A workspace name is at most 32 characters long, so it cannot be mistaken for an id. */
const isId = (workspace: string): boolean => Uuid.safeParse(workspace).success;

/** False for what no workspace can be named. */
export const isWorkspaceKey = (workspace: string): boolean =>
  isId(workspace) || WorkspaceName.safeParse(workspace).success;

/** The id, where the workspace is named by one. */
export const workspaceIdIn = (workspace: string): string | null => (isId(workspace) ? workspace : null);

/** Condition on the table `workspaces`. */
export const isWorkspace = (workspace: string): RawBuilder<boolean> =>
  isId(workspace) ? sql`workspaces.id = ${workspace}::uuid` : sql`workspaces.name = ${workspace}`;
