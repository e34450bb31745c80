// Fair sharing of the outbox. A batch is divided among the workspaces that have rows, so that a million rows of one
// workspace do not delay the single row of another. With more workspaces than a batch has rows, each workspace sends
// one row in its turn until all have had theirs.
import { type DatabaseTransaction, nilUuid } from '@berth/database';
import { sql } from 'kysely';

export interface Round {
  readonly workspaces: readonly string[];
  /** Rows that each of these workspaces may send. */
  readonly share: number;
  /** True when further workspaces have rows. */
  readonly hasOthers: boolean;
}

export class RoundRobin {
  /** Workspace at which the next batch begins; the first one follows the last one. */
  #from = nilUuid;

  async next(tx: DatabaseTransaction, batchSize: number): Promise<Round> {
    const from = this.#from;
    const found = await workspacesFrom(tx, from, batchSize + 1);
    if (from !== nilUuid && found.length <= batchSize) {
      const others = await workspacesFrom(tx, nilUuid, batchSize + 1 - found.length);
      found.push(...others.filter((workspace) => workspace < from));
    }
    const workspaces = found.slice(0, batchSize);
    this.#from = found[batchSize] ?? nilUuid;
    return {
      workspaces,
      share: Math.floor(batchSize / Math.max(1, workspaces.length)),
      hasOthers: found.length > batchSize,
    };
  }
}

/** Skips through the index from workspace to workspace: the cost grows with workspaces, not with their rows. */
async function workspacesFrom(tx: DatabaseTransaction, from: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ workspace: string }>`
    with recursive waiting (workspace, place) as (
      (select workspace_id, 1 from outbox where workspace_id >= ${from}::uuid order by workspace_id limit 1)
      union all
      select (select workspace_id from outbox where workspace_id > workspace order by workspace_id limit 1), place + 1
      from waiting where workspace is not null and place < ${limit}::int
    )
    select workspace from waiting where workspace is not null`.execute(tx);
  return rows.map(({ workspace }) => workspace);
}
