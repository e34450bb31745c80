// Accounts with usage at round prices, in a real PostgreSQL and ClickHouse of one test file. A second of 1 GB costs 0.5 USD.
import { billingDimensions } from '@berth/contract';
import { connect, type Database, uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { type LedgerRow, openUsage, storeRows, type Usage } from '@berth/usage';
import { sql } from 'kysely';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import { createTestDatabase, type TestDatabase } from '../../../engines/test-database.ts';
import { closeHour } from '../src/metering/close-hour.ts';

export const compute = 'agent_compute_runtime_gbs';

export interface MeteredUse {
  readonly accountId: string;
  readonly at: Date;
  readonly seconds: number;
  readonly workspace?: string;
  readonly dimension?: LedgerRow['dimension'];
}

export class MeteredAccounts implements AsyncDisposable {
  readonly home: TestDatabase;
  readonly database: Database;
  readonly clickhouse: TestClickhouse;
  readonly usage: Usage;
  readonly #workspaceIds = new Map<string, string>();

  private constructor(home: TestDatabase, clickhouse: TestClickhouse) {
    this.home = home;
    this.database = connect({ url: home.url, maxConnections: 8 });
    this.clickhouse = clickhouse;
    this.usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'silent' }) });
  }

  static async start(): Promise<MeteredAccounts> {
    const [home, clickhouse] = await Promise.all([createTestDatabase(), startTestClickhouse()]);
    return new MeteredAccounts(home, clickhouse);
  }

  async addAccount(): Promise<string> {
    const id = uuidv7();
    await sql`insert into accounts (id, display_name, owner_email, plan, tier)
      values (${id}, 'A', 'a@example.com', 'p', 't')`.execute(this.database);
    await sql`insert into prices (account_id, billing_dimension, unit, usd_per_unit, valid_from)
      select ${id}, name, unit, 0.5, '2020-01-01' from unnest(
        ${billingDimensions.map(({ name }) => name)}::text[], ${billingDimensions.map(({ unit }) => unit)}::text[])
        as priced (name, unit)`.execute(this.database);
    return id;
  }

  workspaceId(accountId: string, workspace: string): string {
    const key = `${accountId} ${workspace}`;
    const id = this.#workspaceIds.get(key) ?? uuidv7();
    this.#workspaceIds.set(key, id);
    return id;
  }

  /** Stores usage as the api does: its hours are dirty. Each use is at most an hour long, within an hour. */
  store(...uses: readonly MeteredUse[]): Promise<void> {
    const rows = uses.map(({ accountId, at, seconds, workspace = 'main', dimension = compute }) => ({
      ...{ accountId, workspaceId: this.workspaceId(accountId, workspace), workspace, resourceType: 'agent' },
      ...{ resourceName: 'web', resourceUid: accountId, dimension, source: uuidv7(), interval: 0, part: 0 },
      ...{ rate: 1_048_576, amount: 0, fromMs: at.getTime(), toMs: at.getTime() + seconds * 1_000 },
    }));
    return storeRows(this.database, this.usage.ledger, rows);
  }

  /** Closes all dirty hours, also those of the future. */
  async closeAll(): Promise<void> {
    const dirty = await this.database.selectFrom('usage_dirty_hours').selectAll().execute();
    await Promise.all(
      dirty.map(({ account_id, hour, marks }) =>
        closeHour(this.database, this.usage, { accountId: account_id, hour, marks }),
      ),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.usage.close();
    await this.database.destroy();
    await this.home.drop();
    await this.clickhouse[Symbol.asyncDispose]();
  }
}
