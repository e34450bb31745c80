// Transactions that store what a request has asked for. They have connections of their own, apart for callers with a key and
// for all others.
import { type Database, type DatabaseTransaction, LaneFull, type LookupLane } from '@berth/database';
import { GatewayError } from '../errors/gateway-error.ts';
import { lookupError } from '../errors/lookup-error.ts';

export interface StoringOptions {
  readonly database: Database;
  readonly lanes: { readonly caller: LookupLane; readonly stranger: LookupLane };
}

interface Stored<Result> {
  readonly isStranger: boolean;
  readonly work: (tx: DatabaseTransaction) => Promise<Result>;
  readonly busy: GatewayError;
  /** Of a connection that broke while the transaction was committed. */
  readonly uncertain: (cause: unknown) => GatewayError;
}

export async function storeInLane<Result>(
  { database, lanes }: StoringOptions,
  { isStranger, work, busy, uncertain }: Stored<Result>,
): Promise<Result> {
  let isCommitting = false;
  const store = () =>
    database.transaction().execute(async (tx) => {
      const result = await work(tx);
      isCommitting = true;
      return result;
    });
  try {
    return await (isStranger ? lanes.stranger : lanes.caller).ask(store);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (error instanceof LaneFull) throw busy;
    throw isCommitting ? uncertain(error) : lookupError(error);
  }
}
