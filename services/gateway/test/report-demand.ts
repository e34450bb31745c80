import type { Database } from '@berth/database';
import { sql } from 'kysely';
import { writeDemand } from '../src/demand/write-demand.ts';

/** Writes the demand for one workload as a gateway does, and wakes the relay. */
export async function reportDemand(
  database: Database,
  gatewayId: string,
  uid: string,
  requests: number,
  lifeSeconds: number,
): Promise<void> {
  await writeDemand(database, { gatewayId, lifeSeconds }, [{ uid, requests, isChange: true }]);
  await sql`select pg_notify('outbox', '')`.execute(database);
}
