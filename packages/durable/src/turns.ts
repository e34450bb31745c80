// Whose turn it is in the outbox. A batch is shared between the workspaces that have rows, so that a million rows of one do not
// stand before the one row of another. Of more workspaces than a batch has rows, each sends one until all have had their turn.
import { type DatabaseTransaction, nilUuid } from '@berth/database';
import { sql } from 'kysely';

export interface Turns {
  readonly workspaces: readonly string[];
  /** Rows that each of them may send. */
  readonly share: number;
  /** Whether others have rows too. */
  readonly hasOthers: boolean;
}

export class TurnTaking {
  /** Where the next batch begins; after the last workspace comes the first. */
  #from = nilUuid;

  async next(tx: DatabaseTransaction, batchSize: number): Promise<Turns> {
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

/** From workspace to workspace by the index: its cost is that of the workspaces, not of their rows. */
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
