// The tables with data keys, each wrapped by a master key.
import { type RawBuilder, sql } from 'kysely';
import { deploymentKeyContext, workspaceKeyContext } from './key-contexts.ts';

export interface KeyTable {
  readonly name: RawBuilder<unknown>;
  readonly id: RawBuilder<string>;
  /** Workspace or purpose that the wrapping is bound to. */
  readonly owner: RawBuilder<string>;
  readonly contextOf: (owner: string) => string;
}

export const keyTables: readonly KeyTable[] = [
  {
    name: sql.table('workspace_keys'),
    id: sql.ref('workspace_id'),
    owner: sql.ref('workspace_id'),
    contextOf: workspaceKeyContext,
  },
  { name: sql.table('deployment_keys'), id: sql.ref('id'), owner: sql.ref('purpose'), contextOf: deploymentKeyContext },
];
